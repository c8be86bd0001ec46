import { posix } from 'node:path';
import * as vscode from 'vscode';
import { deliverTranscript } from '../../editor/deliverTranscript.ts';
import { jobTitle } from '../../editor/jobTitle.ts';
import { lazy } from '../../editor/lazy.ts';
import { maySendAgain } from '../../editor/mayBillAgain.ts';
import { offerToOpen } from '../../editor/openAssets.ts';
import type { PlacedOptions, PlacedRequest, PlacedResult } from '../../editor/PlacedRuns.ts';
import { assetsOf } from '../../editor/PlacedRuns.ts';
import type { Caller } from '../../editor/runCommand.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { showError } from '../../editor/showError.ts';
import type { Asset } from '../../library/Asset.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { canRemix } from '../../library/LibraryRecord.ts';
import { isVideo } from '../../library/Lineage.ts';
import type { MakerOptions } from '../../manifest/MakerOptions.ts';
import { pointerProblem } from '../../operations/lfsPointer.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations, takesVideo } from '../../operations/operations.ts';
import type { Job, JobFacts, PlaceReference } from '../../work/Job.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';
import { inputAgain, JobRunner } from '../../work/JobRunner.ts';
import { errorOf, isUnknownOutcome } from '../../work/jobErrors.ts';
import type { Limits } from '../../work/runJob.ts';
import { runJob } from '../../work/runJob.ts';
import { Store } from '../../work/Store.ts';
import { addVideo } from './addVideo.ts';
import type { RequestFields } from './completeRequest.ts';
import { completeRequest, eachFile, fieldsToRemember, takeFiles } from './completeRequest.ts';
import { isConfirmed } from './isConfirmed.ts';
import { JobCommands } from './JobCommands.ts';
import { mayCutRecording } from './mayCutRecording.ts';
import type { OperationDependencies } from './OperationDependencies.ts';
import { runPlaced } from './runPlaced.ts';
import { showSaved } from './showAssets.ts';
import { showPartKept } from './showPartKept.ts';
import { withJobProgress } from './withJobProgress.ts';

/** Runs operations for commands; loaded with the first one. */
export class OperationCommands {
  /** The commands on running and finished jobs. */
  readonly jobs: JobCommands;
  readonly #dependencies: OperationDependencies;
  readonly #runner: JobRunner;
  readonly #narration = lazy(async () => {
    const { NarrationCommand } = await import('./narration/NarrationCommand.ts');
    return new NarrationCommand(this.#runner, this.#dependencies);
  });

  constructor(dependencies: OperationDependencies) {
    this.#dependencies = dependencies;
    const { settings, service, places, jobs, storeFolder } = dependencies;
    this.#runner = new JobRunner({
      store: new Store(storeFolder),
      jobs,
      openClient: (sandbox) => service.open(sandbox),
      placeAt: (reference) => places.placeAt(reference),
      convert: async (bytes, extension) => (await import('./convertPicture.ts')).convertPicture(bytes, extension),
      maxConcurrentJobs: () => settings.maxConcurrentJobs,
      timeoutSeconds: (area) => settings.timeoutSeconds[area],
    });
    this.jobs = new JobCommands(this.#runner, (job, options) => this.#runAgain(job, options), dependencies);
  }

  /**
   * Runs an operation with the fields of an argument or, without one, with a person's answers.
   *
   * @param onSending called when all questions have been answered
   * @param start initial values of the questions, instead of those used last
   * @param document the document that the result is for
   * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
   * @throws MediaError, whose message ends with its kind, when there is an argument
   */
  run(
    id: OperationId,
    argument: unknown,
    caller: Caller = argument === undefined ? 'person' : 'program',
    onSending: () => void = () => undefined,
    start: RequestFields = {},
    document?: vscode.TextDocument,
  ): Promise<readonly Asset[] | undefined> {
    const { places, settings, service, lastUsed } = this.#dependencies;
    // A view's form is filled in by a person, but leaves no questions open.
    const byPerson = caller !== 'program';
    return runCommand(caller, this.#dependencies, async () => {
      const { given, files } = takeFiles(id, argument);
      // Report a missing service or key before asking anything.
      await service.checkReady(id);
      const { result } = operations[id];
      const place = await (document
        ? places.referenceForDocument(document, result, byPerson)
        : places.referenceFor(result, byPerson));
      if (!place) return undefined;
      const sandbox = settings.usesSandbox;
      // Loads the client while the person answers. A failure is reported when the client is used.
      service.open(sandbox).catch(() => undefined);
      const videos = takesVideo(operations[id]) ? await this.#videos(place, sandbox) : [];
      const base = vscode.Uri.parse(place.root, true);
      const request = await completeRequest(
        id,
        given,
        { asksAll: caller === 'person', sandbox, base, videos, start },
        this.#dependencies,
      );
      if (!request) return undefined;
      // Remembered before sending, so that nobody has to type it again after a failure.
      if (byPerson) await lastUsed.set(id, sandbox, fieldsToRemember(id, request));
      const requests = await eachFile(id, request, files, base);
      if (byPerson && !(await isConfirmed(id, requests, settings.confirmAbove))) return undefined;
      onSending();
      const results = await withJobProgress(vscode.l10n.t(operations[id].title), caller, (options) =>
        // All jobs end before a failure is reported.
        Promise.allSettled(
          requests.map((one) => this.runJob({ operation: id, request: one, place, sandbox }, options)),
        ),
      );
      const assets = assetsOf(results);
      await showSaved(assets, caller, this.#dependencies);
      return assets;
    });
  }

  /** Runs requests in parallel, each for its own place; see {@link runPlaced}. */
  runPlaced(requests: readonly PlacedRequest[], options: PlacedOptions): Promise<readonly PlacedResult[] | undefined> {
    return runPlaced(requests, options, this.#dependencies, (input, running) => this.runJob(input, running));
  }

  /** Runs one job, or several whose results are joined when the input is too long for one request. */
  async runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> {
    const run = (again: boolean) => runJob(input, this.#runner, this.#limits, { ...options, again }, id);
    return run(options.again ?? false).catch(async (error: unknown) => {
      if (isUnknownOutcome(error) && options.isAttended && (await maySendAgain())) return run(true);
      throw error;
    });
  }

  get #limits(): Limits {
    const { settings } = this.#dependencies;
    return {
      speechMaxCharacters: settings.speechMaxCharacters,
      soundOnly: settings.transcriptSoundOnly,
      maxBytes: settings.transcriptMaxBytes,
      mayCut: mayCutRecording,
    };
  }

  forManifests(): Pick<MakerOptions, 'runner' | 'limits'> {
    return { runner: this.#runner, limits: this.#limits };
  }

  /** Sends the same request as a new job. If parts of a text failed, sends only the missing ones. */
  async #runAgain(job: JobFacts, options: RunOptions): Promise<readonly Asset[]> {
    const { request, whole } = job;
    if (whole?.document !== undefined && 'voice' in request) {
      const { model, voice, response_format } = request;
      return (
        (await this.narrateDocument(
          { uri: whole.document, model, voice, response_format },
          { ...options, again: true },
        )) ?? []
      );
    }
    return this.runJob(inputAgain(job), { ...options, again: true });
  }

  /** Returns the library's videos that the service can remix, newest first. */
  async #videos({ root }: PlaceReference, isSandbox: boolean): Promise<readonly LibraryEntry[]> {
    const videos = await this.#dependencies.places.libraryOf(vscode.Uri.parse(root, true)).entries('videos');
    return videos.filter((video) => canRemix(video, isSandbox)).reverse();
  }

  /**
   * Runs an operation for its command. A video of the tree goes to the model that made it, so only the prompt is asked
   * for.
   */
  runCommand(id: OperationId, argument: unknown): Promise<readonly Asset[] | undefined> {
    if (!takesVideo(operations[id]) || !isVideo(argument)) return this.run(id, argument);
    const { videoId: video_id, model, sandbox = false } = argument.entry;
    if (sandbox === this.#dependencies.settings.usesSandbox) return this.run(id, { video_id, model }, 'person');
    const sentence = sandbox
      ? vscode.l10n.t(
          'Only the sandbox can remix this video, because the sandbox made it. Run “Media: Use the Sandbox” first.',
        )
      : vscode.l10n.t(
          'Only the service can remix this video, because the service made it. Run “Media: Use the Service” first.',
        );
    return runCommand('person', this.#dependencies, () => Promise.reject(new MediaError('invalidInput', sentence)));
  }

  /** Asks for a new video, starting from the prompt of one in the tree. */
  async reusePrompt(argument: unknown): Promise<readonly Asset[] | undefined> {
    if (!isVideo(argument)) return undefined;
    const { prompt, model } = argument.entry;
    return this.run('generateVideo', undefined, 'person', undefined, { prompt, model });
  }

  /** Speaks the selection, or else the whole document, as it would be read aloud. */
  async narrate(argument: unknown): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const { speakableText } = await import('../../documents/speech/speakableText.ts');
    const written = selectedText(editor) ?? editor?.document.getText() ?? '';
    const text = editor ? speakableText(written, editor.document.languageId) : '';
    const caller = argument === undefined ? 'person' : 'program';
    const pointer = editor && pointerProblem(posix.basename(editor.document.uri.path), written);
    if (text === '' || pointer !== undefined) {
      const sentence = pointer ?? vscode.l10n.t('There is no text to read aloud.');
      return runCommand(caller, this.#dependencies, () => Promise.reject(nothingFor('input', sentence, editor)));
    }
    const given = typeof argument === 'object' ? argument : {};
    return this.run('speak', { ...given, input: text }, caller, undefined, {}, editor?.document);
  }

  /** Speaks the changed parts of a document and joins them with the existing ones. */
  async narrateDocument(argument: unknown, running?: RunOptions): Promise<readonly Asset[] | undefined> {
    return (await this.#narration()).run(argument, running);
  }

  /** Generates an image from the selected text. */
  async generateFromSelection(): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const prompt = selectedText(editor)?.trim() ?? '';
    if (prompt !== '') return this.run('generateImage', { prompt }, 'person', undefined, {}, editor?.document);
    return runCommand('person', this.#dependencies, () =>
      Promise.reject(nothingFor('prompt', vscode.l10n.t('Select the text that describes the image first.'), editor)),
    );
  }

  /** Adds a video that was made elsewhere with the same account, so that it can be remixed. */
  addVideo(argument: unknown): Promise<readonly Asset[] | undefined> {
    const { places, settings } = this.#dependencies;
    const byPerson = argument === undefined;
    return runCommand(byPerson ? 'person' : 'program', this.#dependencies, async () => {
      const place = await places.referenceFor('videos', byPerson);
      return place && addVideo(argument, places.placeAt(place).library, settings);
    });
  }

  /** Resumes jobs whose window closed, and reports how they end. Can be called repeatedly. */
  async recover(): Promise<void> {
    await this.#runner.recover(openFolders(), new AbortController().signal, (job) => {
      void tryToShow(this.#dependencies.log, showRecovered(job, this.#dependencies));
    });
  }
}

/** Returns the URIs of the workspace folders. */
function openFolders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

function selectedText(editor: vscode.TextEditor | undefined): string | undefined {
  return editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
}

function nothingFor(field: 'input' | 'prompt', sentence: string, editor: vscode.TextEditor | undefined): MediaError {
  const label = field === 'input' ? vscode.l10n.t('Text') : vscode.l10n.t('Prompt');
  const problem = editor ? sentence : vscode.l10n.t('Open a document first.');
  return new MediaError('invalidInput', `${label} (${field}): ${problem}`, { field });
}

/** Reports the outcome of a job that outlived its window. */
async function showRecovered(job: Job, dependencies: OperationDependencies): Promise<void> {
  if (job.error) return showError(errorOf(job.id, job.error, job.hasAnswer), jobTitle(job));
  if (job.whole) return showPartKept(job);
  if (job.into) return deliverTranscript(Object.values(job.assets), job.into, dependencies);
  await offerToOpen(
    Object.values(job.assets).map(({ uri }) => uri),
    job.usage ? [job.usage] : [],
  );
}
