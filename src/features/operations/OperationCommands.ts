import * as vscode from 'vscode';
import type { Caller } from '../../editor/attempted.ts';
import { attempted, tried } from '../../editor/attempted.ts';
import { jobTitle } from '../../editor/jobTitle.ts';
import { offerToOpen } from '../../editor/openAssets.ts';
import { showError } from '../../editor/showError.ts';
import type { Job } from '../../jobs/JobList.ts';
import type { JobFacts, PlaceReference } from '../../jobs/JobRecord.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import { JobRunner } from '../../jobs/JobRunner.ts';
import { Journal } from '../../jobs/Journal.ts';
import { errorOf } from '../../jobs/jobErrors.ts';
import type { RunJobOptions } from '../../jobs/runJob.ts';
import { runJob } from '../../jobs/runJob.ts';
import { speakPart } from '../../jobs/speech/speechParts.ts';
import type { Asset } from '../../library/Asset.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { canRemix } from '../../library/LibraryRecord.ts';
import { isVideo } from '../../library/Lineage.ts';
import type { ManifestJobs } from '../../manifest/AssetMaker.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { addVideo } from './addVideo.ts';
import type { RequestFields } from './completeRequest.ts';
import { completeRequest, eachFile, fieldsToRemember, takeFiles } from './completeRequest.ts';
import { isConfirmed } from './isConfirmed.ts';
import { JobCommands } from './JobCommands.ts';
import { mayCutRecording } from './mayCutRecording.ts';
import type { NarrationCommand } from './narration/NarrationCommand.ts';
import type { OperationDependencies } from './registerOperations.ts';
import type { PlacedOptions, PlacedRequest, PlacedResult } from './runPlaced.ts';
import { runPlaced } from './runPlaced.ts';
import { showSaved } from './showAssets.ts';
import { showPartKept } from './showPartKept.ts';
import { withJobProgress } from './withJobProgress.ts';

/** Runs operations for commands; loaded with the first one. */
export class OperationCommands {
  /** Those of jobs that run or have ended. */
  readonly jobs: JobCommands;
  readonly #dependencies: OperationDependencies;
  readonly #runner: JobRunner;
  #narration: Promise<NarrationCommand> | undefined;

  constructor(dependencies: OperationDependencies) {
    this.#dependencies = dependencies;
    const { settings, service, places, jobs, journalFolder } = dependencies;
    this.#runner = new JobRunner({
      journal: new Journal(journalFolder),
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
   * Runs an operation from the fields of an argument, or, without one, from what the person answers.
   *
   * @param onSending called when the person has nothing more to answer
   * @param start what the questions start with, where that is not what was used last
   * @param document what it is made for
   * @returns the saved assets, or undefined when the person dismissed a question or has been shown the error
   * @throws MediaError whose message ends with its kind, when there is an argument
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
    // A form is a person's, but all of its questions are answered.
    const byPerson = caller !== 'program';
    return attempted(caller, this.#dependencies, async () => {
      const { given, files } = takeFiles(id, argument);
      // What is missing to run at all is said before anything is asked.
      await service.checkReady(id);
      const { result } = operations[id];
      const place = await (document
        ? places.referenceForDocument(document, result, byPerson)
        : places.referenceFor(result, byPerson));
      if (!place) return undefined;
      const sandbox = settings.usesSandbox;
      // Loads and starts what is needed while the person answers; a failure shows when it is needed.
      service.open(sandbox).catch(() => undefined);
      const videos = id === 'remixVideo' ? await this.#videos(place, sandbox) : [];
      const base = vscode.Uri.parse(place.root, true);
      const request = await completeRequest(
        id,
        given,
        { asksAll: caller === 'person', sandbox, base, videos, start },
        this.#dependencies,
      );
      if (!request) return undefined;
      // Kept before it is sent: after a failure nobody has to type it again.
      if (byPerson) await lastUsed.set(id, sandbox, fieldsToRemember(id, request));
      const requests = await eachFile(id, request, files, base);
      if (byPerson && !(await isConfirmed(id, requests, settings.confirmAbove))) return undefined;
      onSending();
      const assets = await withJobProgress(vscode.l10n.t(operations[id].title), caller, (options) =>
        allOf(requests.map((one) => this.runJob({ operation: id, request: one, place, sandbox }, options))),
      );
      await showSaved(assets, caller, this.#dependencies);
      return assets;
    });
  }

  /** Runs requests side by side, each for a place of its own; see {@link runPlaced}. */
  runPlaced(wanted: readonly PlacedRequest[], options: PlacedOptions): Promise<readonly PlacedResult[] | undefined> {
    return runPlaced(wanted, options, this.#dependencies, (input, running) => this.runJob(input, running));
  }

  /** One job, or for what is too long for one request several whose results are joined. */
  async runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> {
    const { jobs, places, partsFolder, recordingsFolder, settings } = this.#dependencies;
    const parts: RunJobOptions = {
      runner: this.#runner,
      jobs,
      placeAt: (place) => places.placeAt(place),
      partsFolder,
      speechMaxCharacters: settings.speechMaxCharacters,
      recordings: {
        folder: recordingsFolder,
        soundOnly: settings.transcriptSoundOnly,
        maxBytes: settings.transcriptMaxBytes,
        mayCut: mayCutRecording,
      },
    };
    return runJob(input, parts, options, id);
  }

  /** What applies a manifest runs its jobs by. */
  get manifestJobs(): ManifestJobs {
    const runner = this.#runner;
    const { jobs, partsFolder, journalFolder: journal } = this.#dependencies;
    return {
      journal,
      get all() {
        return jobs.all;
      },
      partsFolder,
      run: (input, options) => this.runJob(input, options),
      downloadAgain: (id, options) => runner.downloadAgain(id, options),
      dismiss: (id) => runner.dismiss(id),
      speakBlock: (input, whole, options) => speakPart(input, { ...options, runner, jobs, partsFolder, whole }),
    };
  }

  /** The same request as a new job; of a long text whose part failed, what is still missing. */
  async #runAgain(job: JobFacts, options: RunOptions): Promise<readonly Asset[]> {
    const { operation, request, place, sandbox, whole, into } = job;
    if (whole?.document !== undefined && 'voice' in request) {
      const { model, voice, response_format } = request;
      return (await this.narrateDocument({ uri: whole.document, model, voice, response_format }, options)) ?? [];
    }
    return this.runJob({ operation, request, place, sandbox, ...(into ? { into } : {}), ...whole }, options);
  }

  /** Videos of the library that the service can remix, newest first. */
  async #videos({ root }: PlaceReference, isSandbox: boolean): Promise<readonly LibraryEntry[]> {
    const videos = await this.#dependencies.places.libraryOf(vscode.Uri.parse(root, true)).entries('videos');
    return videos.filter((video) => canRemix(video, isSandbox)).reverse();
  }

  /** Remixes a video of the tree by the model that made it, asking for the prompt alone; else as any operation. */
  remix(argument: unknown): Promise<readonly Asset[] | undefined> {
    if (!isVideo(argument)) return this.run('remixVideo', argument);
    const { videoId: video_id, model, sandbox = false } = argument.entry;
    if (sandbox === this.#dependencies.settings.usesSandbox)
      return this.run('remixVideo', { video_id, model }, 'person');
    const sentence = sandbox
      ? vscode.l10n.t('The sandbox made this video, and alone can remix it: run “Media: Use the Sandbox” first.')
      : vscode.l10n.t('The service made this video, and alone can remix it: run “Media: Use the Service” first.');
    return attempted('person', this.#dependencies, () => Promise.reject(new MediaError('invalidInput', sentence)));
  }

  /** Asks for a video, starting from the prompt of one of the tree. */
  async reusePrompt(argument: unknown): Promise<readonly Asset[] | undefined> {
    if (!isVideo(argument)) return undefined;
    const { prompt, model } = argument.entry;
    return this.run('generateVideo', undefined, 'person', undefined, { prompt, model });
  }

  /** Speaks the selection, else the whole document, as a person would read it aloud. */
  async narrate(argument: unknown): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const { speakableText } = await import('../../documents/speech/speakableText.ts');
    const written = selectedText(editor) ?? editor?.document.getText() ?? '';
    const text = editor ? speakableText(written, editor.document.languageId) : '';
    const caller = argument === undefined ? 'person' : 'program';
    if (text === '') {
      return attempted(caller, this.#dependencies, () =>
        Promise.reject(nothingFor('input', vscode.l10n.t('There is nothing to read aloud in it.'), editor)),
      );
    }
    const given = typeof argument === 'object' ? argument : {};
    return this.run('speak', { ...given, input: text }, caller, undefined, {}, editor?.document);
  }

  /** Speaks what has changed of a document, and puts it together with what is there. */
  async narrateDocument(argument: unknown, running?: RunOptions): Promise<readonly Asset[] | undefined> {
    this.#narration ??= import('./narration/NarrationCommand.ts').then(
      ({ NarrationCommand }) => new NarrationCommand(this.#runner, this.#dependencies),
    );
    return (await this.#narration).run(argument, running);
  }

  /** Makes an image of what is selected. */
  async generateFromSelection(): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const prompt = selectedText(editor)?.trim() ?? '';
    if (prompt !== '') return this.run('generateImage', { prompt }, 'person', undefined, {}, editor?.document);
    return attempted('person', this.#dependencies, () =>
      Promise.reject(nothingFor('prompt', vscode.l10n.t('Select the words for the image first.'), editor)),
    );
  }

  /** Adds a video that was made elsewhere with the same account, so that it can be remixed. */
  addVideo(argument: unknown): Promise<readonly Asset[] | undefined> {
    const { places, settings } = this.#dependencies;
    const byPerson = argument === undefined;
    return attempted(byPerson ? 'person' : 'program', this.#dependencies, async () => {
      const place = await places.referenceFor('videos', byPerson);
      return place && addVideo(argument, places.placeAt(place).library, settings);
    });
  }

  /** Goes on with jobs whose window ended, and reports how they end; can be called again and again. */
  async recover(): Promise<void> {
    const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    await this.#runner.recover(roots, new AbortController().signal, (job) => {
      void tried(this.#dependencies.log, showRecovered(job, this.#dependencies));
    });
    const { sweepSpeech } = await import('../../jobs/speech/speakInParts.ts');
    await sweepSpeech(this.#dependencies.partsFolder);
    const { sweepRecordings } = await import('../../jobs/transcripts/RecordingWork.ts');
    await sweepRecordings(this.#dependencies.recordingsFolder);
  }
}

function selectedText(editor: vscode.TextEditor | undefined): string | undefined {
  return editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
}

function nothingFor(field: 'input' | 'prompt', sentence: string, editor: vscode.TextEditor | undefined): MediaError {
  const label = field === 'input' ? vscode.l10n.t('Text') : vscode.l10n.t('Prompt');
  const problem = editor ? sentence : vscode.l10n.t('Open a document first.');
  return new MediaError('invalidInput', `${label} (${field}): ${problem}`, { field });
}

/** The assets of jobs side by side; each is let come to its end before a failure is told. */
async function allOf(jobs: readonly Promise<readonly Asset[]>[]): Promise<readonly Asset[]> {
  const results = await Promise.allSettled(jobs);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

/** Reports how a job ended whose window ended before it. */
async function showRecovered(job: Job, { deliver }: OperationDependencies): Promise<void> {
  if (job.error) return showError(errorOf(job.id, job.error, job.hasAnswer), jobTitle(job));
  if (job.whole) return showPartKept(job);
  if (job.into) return deliver(Object.values(job.assets), job.into);
  await offerToOpen(
    Object.values(job.assets).map(({ uri }) => uri),
    job.usage ? [job.usage] : [],
  );
}
