import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { billedAgain, maySend, maySendAgain } from '../../editor/askAbout.ts';
import { deliverTranscript } from '../../editor/deliverTranscript.ts';
import { lazy } from '../../editor/lazy.ts';
import { askInDialog, notify } from '../../editor/notify.ts';
import type { Caller, PlacedOptions, PlacedRequest, PlacedResult } from '../../editor/runs.ts';
import {
  abortSignal,
  assetsOf,
  describeProgress,
  jobTitle,
  operationTitle,
  runCommand,
  tryToShow,
} from '../../editor/runs.ts';
import type { Settings } from '../../editor/Settings.ts';
import { showError } from '../../editor/showError.ts';
import { offerToOpen, openUris, savedSentence } from '../../editor/workspaceFiles.ts';
import type { Agreed } from '../../files/AgreedFile.ts';
import { pointerProblem } from '../../files/lfsPointer.ts';
import { notificationText, shortLine } from '../../foreign/plainText.ts';
import type { Asset, LibraryEntry } from '../../library/LibraryRecord.ts';
import { canRemix } from '../../library/LibraryRecord.ts';
import { isVideo } from '../../library/Lineage.ts';
import type { MakerOptions } from '../../manifest/finishAsset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations, takesVideo } from '../../operations/operations.ts';
import { saveRawAnswer } from '../../work/deliver.ts';
import type { Job, JobFacts, PlaceReference } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';
import { inputAgain, JobRunner } from '../../work/JobRunner.ts';
import { errorOf, isUnknownOutcome } from '../../work/jobErrors.ts';
import type { Limits } from '../../work/runJob.ts';
import { runJob } from '../../work/runJob.ts';
import { Store } from '../../work/Store.ts';
import type { CutQuestion } from '../../work/transcribeRecording.ts';
import { addVideo } from './addVideo.ts';
import type { RequestFields } from './completeRequest.ts';
import { completeRequest, eachFile, fieldsToRemember, maySendAll, takeFiles } from './completeRequest.ts';
import type { OperationDependencies } from './OperationDependencies.ts';

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
      const inputs = requests.map((one) => ({ operation: id, request: one, place, sandbox }));
      const agreed = byPerson ? await maySendAll(inputs, settings) : [];
      if (!agreed) return undefined;
      onSending();
      const results = await withJobProgress(vscode.l10n.t(operations[id].title), caller, (options) =>
        // All jobs end before a failure is reported.
        Promise.allSettled(inputs.map((input, index) => this.runJob(input, { ...options, agreed: agreed[index] }))),
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
      const asks = isUnknownOutcome(error) && options.isAttended;
      if (asks && (await maySendAgain([input], this.#dependencies.settings))) return run(true);
      throw error;
    });
  }

  get #limits(): Limits {
    const { settings } = this.#dependencies;
    return {
      speechMaxCharacters: settings.speechMaxCharacters,
      soundOnly: settings.transcriptSoundOnly,
      maxBytes: settings.transcriptMaxBytes,
      mayCut: (input, cut) => mayCutRecording(input, cut, settings),
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
    const written = selectedText(editor) ?? editor?.document.getText() ?? '';
    const caller = argument === undefined ? 'person' : 'program';
    const { DocumentReader } = await import('../../reading/DocumentReader.ts');
    const text = await runCommand(caller, this.#dependencies, async () =>
      editor ? new DocumentReader().speakableText(written, editor.document.languageId) : '',
    );
    if (text === undefined) return undefined;
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

/** See `PlacedRuns.runPlaced`. */
export async function runPlaced(
  requests: readonly PlacedRequest[],
  { title, caller, asksModel, question, signal, beforeSending }: PlacedOptions,
  dependencies: OperationDependencies,
  runJob: (input: JobInput, options: RunOptions) => Promise<readonly Asset[]>,
): Promise<readonly PlacedResult[] | undefined> {
  const { settings, service, lastUsed } = dependencies;
  for (const id of new Set(requests.map(({ operation }) => operation))) await service.checkReady(id);
  const sandbox = settings.usesSandbox;
  service.open(sandbox).catch(() => undefined);
  const models = new Map<OperationId, unknown>();
  const inputs: JobInput[] = [];
  for (const { operation, fields, place, into } of requests) {
    const { given } = takeFiles(operation, fields);
    const model = models.get(operation) ?? (asksModel ? undefined : knownModel(operation, sandbox, dependencies));
    const base = vscode.Uri.parse(place.root, true);
    const completing = { asksAll: asksModel && !models.has(operation), sandbox, base, videos: [], start: {} };
    const all = model === undefined ? given : { model, ...given };
    const request = await completeRequest(operation, all, completing, dependencies);
    if (!request) return undefined;
    models.set(operation, request.model);
    inputs.push({ operation, request, place, sandbox, ...(into ? { into } : {}) });
    if (caller === 'program') continue;
    const { prompt } = { prompt: undefined, ...request };
    const remembered = requests.length === 1 && prompt !== undefined ? { prompt } : {};
    // Remembered before sending, so that nobody has to type it again after a failure.
    const last = lastUsed.get(operation, sandbox);
    await lastUsed.set(operation, sandbox, { ...last, model: request.model, ...remembered });
  }
  const agreed = caller === 'program' ? [] : await mayRunPlaced(inputs, question, settings);
  if (!agreed) return undefined;
  return withJobProgress(title, caller, (options) => {
    const running: RunOptions = {
      ...options,
      ...(signal ? { signal: AbortSignal.any([signal, options.signal]) } : {}),
      ...(beforeSending ? { beforeSending } : {}),
    };
    return Promise.allSettled(inputs.map((input, index) => runJob(input, { ...running, agreed: agreed[index] })));
  });
}

function mayRunPlaced(
  requests: readonly JobInput[],
  title: string | undefined,
  settings: Settings,
): Promise<readonly Agreed[] | undefined> {
  if (title === undefined) return maySendAll(requests, settings);
  const note = vscode.l10n.t('The service may bill each of them.');
  return maySend({ title, note, requests, send: vscode.l10n.t('Generate') }, settings);
}

/** Returns the model to use without asking: the first of the settings, the one used last, or the only one known. */
function knownModel(id: OperationId, sandbox: boolean, { settings, models, lastUsed }: OperationDependencies): unknown {
  const [only, ...others] = models.names(id, sandbox);
  return settings.valueFor(id, 'model') ?? lastUsed.get(id, sandbox).model ?? (others.length === 0 ? only : undefined);
}

/** The argument of the job commands: `{jobId}` from a program, an item of a view or a button from a person. */
interface JobArgument {
  readonly jobId: string;
  /** Whether a person sees failures. */
  readonly byPerson?: boolean;
  /** Whether the person has already been told what it may cost. */
  readonly confirmed?: boolean;
  /** Whether the Create view shows progress and outcome. */
  readonly inView?: boolean;
}

type RunAgain = (job: JobFacts, options: RunOptions) => Promise<readonly Asset[]>;

/** The commands on running and finished jobs. Without an argument they ask for the job. */
export class JobCommands {
  readonly #runner: JobRunner;
  readonly #runAgain: RunAgain;
  readonly #dependencies: OperationDependencies;

  constructor(runner: JobRunner, runAgain: RunAgain, dependencies: OperationDependencies) {
    this.#runner = runner;
    this.#runAgain = runAgain;
    this.#dependencies = dependencies;
  }

  /** @returns whether a job was cancelled */
  cancel(argument: unknown): Promise<boolean | undefined> {
    return this.#with(argument, isRunning, async ({ id }) => this.#runner.cancel(id));
  }

  /** Sends the request of a job again, as a new job. */
  runAgain(argument: unknown): Promise<readonly Asset[] | undefined> {
    const canRun = (job: Job) => !isRunning(job) && job.state !== 'done';
    return this.#with(argument, canRun, async (job, asked) => {
      const { byPerson, confirmed } = asked;
      if (isRunning(job)) throw new MediaError('invalidInput', vscode.l10n.t('This job is still running.'));
      const agreed = byPerson && !confirmed ? await this.#mayRunAgain(job) : { files: undefined };
      if (!agreed) return undefined;
      return this.#runner.runAgain(job.id, (current) =>
        this.#shown(current, asked, (options) => this.#runAgain(current, { ...options, agreed: agreed.files })),
      );
    });
  }

  /** @returns the recording that the person has agreed to send; undefined if they declined */
  async #mayRunAgain(job: Job): Promise<{ readonly files: Agreed } | undefined> {
    const note =
      job.hasAnswer || job.error?.mayBeBilled ? billedAgain() : vscode.l10n.t('The service may bill this request.');
    const title = vscode.l10n.t('Run this job again? {0}', jobTitle(job));
    const requests = [job.whole ? { ...job, ...job.whole } : job];
    const question = { title, note, requests, send: vscode.l10n.t('Run Again') };
    const agreed = await maySend(question, this.#dependencies.settings);
    // What cannot be read now must not be sent later.
    return agreed && { files: agreed[0] ?? ('file' in job.request ? [] : undefined) };
  }

  /** Saves results that were paid for but not saved yet. */
  downloadAgain(argument: unknown): Promise<readonly Asset[] | undefined> {
    return this.#with(argument, waits, async (job, asked) => {
      const download = (options: RunOptions) => this.#runner.downloadAgain(job.id, options);
      if (!job.whole) return this.#shown(job, asked, download);
      const parts = await withJobProgress(operationTitle(job), callerOf(asked), download);
      if (asked.byPerson) void tryToShow(this.#dependencies.log, showPartKept(job));
      return parts;
    });
  }

  /** Like {@link downloadAgain}, into another folder. */
  saveElsewhere(argument: unknown): Promise<readonly Asset[] | undefined> {
    return this.#with(argument, waits, async (job, asked) => {
      const place = await this.#dependencies.places.chooseReference();
      return place && this.#shown(job, asked, (options) => this.#runner.downloadAgain(job.id, options, place));
    });
  }

  /**
   * Copies the raw answer of a job that could not be read or was cut off.
   *
   * @returns URIs of the files
   */
  saveRawAnswer(argument: unknown): Promise<readonly string[] | undefined> {
    const isKept = (job: Job) => !isRunning(job) && job.hasRawAnswer === true;
    return this.#with(argument, isKept, async (job, { byPerson }) => {
      const { places, log } = this.#dependencies;
      const place = byPerson ? await places.chooseReference() : job.place;
      if (!place) return undefined;
      const uris = await this.#runner.withRawFiles(job.id, (files) => saveRawAnswer(job, files, places.placeAt(place)));
      if (byPerson) void tryToShow(log, offerToOpen(uris));
      return uris;
    });
  }

  /** Removes a finished job from the list. */
  dismiss(argument: unknown): Promise<boolean | undefined> {
    return this.#with(
      argument,
      (job) => !isRunning(job),
      async (job, { byPerson, confirmed }) => {
        if (byPerson && !confirmed && job.hasAnswer && !(await mayThrowAway(job))) return false;
        await this.#runner.dismiss(job.id);
        return true;
      },
    );
  }

  async #shown(job: JobFacts, argument: JobArgument, work: (options: RunOptions) => Promise<readonly Asset[]>) {
    const caller = callerOf(argument);
    const assets = await withJobProgress(operationTitle(job), caller, work);
    const into = job.into ?? job.whole?.into;
    if (into) await tryToShow(this.#dependencies.log, deliverTranscript(assets, into, this.#dependencies));
    else await showSaved(assets, caller, this.#dependencies);
    return assets;
  }

  #with<T>(
    argument: unknown,
    fits: (job: Job) => boolean,
    work: (job: Job, argument: JobArgument) => Promise<T>,
  ): Promise<T | undefined> {
    const given = isJobArgument(argument) ? argument : undefined;
    return runCommand(given ? callerOf(given) : 'person', this.#dependencies, async () => {
      const { jobs } = this.#dependencies;
      const picked = given?.jobId ?? (await pickJob(jobs.all.filter(fits)))?.id;
      if (picked !== undefined) await this.#runner.refresh(picked);
      const job = picked === undefined ? undefined : jobs.get(picked);
      if (given && !job) {
        const sentence = vscode.l10n.t('There is no job {0} (jobId).', given.jobId);
        throw new MediaError('invalidInput', sentence, { field: 'jobId' });
      }
      return job && work(job, given ?? { jobId: job.id, byPerson: true });
    });
  }
}

function isJobArgument(argument: unknown): argument is JobArgument {
  return typeof argument === 'object' && argument !== null && 'jobId' in argument && typeof argument.jobId === 'string';
}

function callerOf({ byPerson, inView }: JobArgument): Caller {
  if (inView) return 'view';
  return byPerson ? 'person' : 'program';
}

function waits({ hasAnswer }: Job): boolean {
  return hasAnswer;
}

async function pickJob(jobs: readonly Job[]): Promise<Job | undefined> {
  if (jobs.length === 0) {
    void notify.information(vscode.l10n.t('There is no job that this command applies to.'));
    return undefined;
  }
  const items = jobs.map((job) => ({
    label: jobTitle(job),
    description: new Date(job.createdAt).toLocaleString(),
    ...(job.error ? { detail: job.error.message } : {}),
    job,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Choose a job') });
  return chosen?.job;
}

async function mayThrowAway(job: Job): Promise<boolean> {
  const dismiss = vscode.l10n.t('Dismiss');
  const detail = vscode.l10n.t(
    'Its result was paid for but not saved. Once dismissed, it can no longer be downloaded.',
  );
  const question = vscode.l10n.t('Dismiss this job? {0}', jobTitle(job));
  return (await askInDialog(question, detail, dismiss)) === dismiss;
}

/** Shows a job in a notification that can be cancelled. A view shows the job itself, so it gets only a progress bar. */
export function withJobProgress<T>(
  title: string,
  caller: Caller,
  work: (options: RunOptions) => Promise<T>,
): Thenable<T> {
  const location = caller === 'view' ? { viewId: viewIds.create } : vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (notification, token) => {
    const abort = abortSignal(token);
    let shown = '';
    try {
      return await work({
        signal: abort.signal,
        isAttended: caller !== 'program',
        onNotice: (sentence) => void notify.warning(sentence),
        onProgress: (progress) => {
          const message = notificationText(describeProgress(progress));
          if (message !== shown) notification.report({ message });
          shown = message;
        },
      });
    } finally {
      abort.dispose();
    }
  });
}

/** How long a message stays in the status bar, in milliseconds. */
const shownFor = 20_000;

/** Opens what was saved, or reports it when the settings say not to open it. A view shows it itself. */
export async function showSaved(
  assets: readonly Asset[],
  caller: Caller,
  { settings, jobs, log }: OperationDependencies,
): Promise<void> {
  if (caller === 'view') return;
  const uris = assets.map(({ uri }) => uri);
  const ids = [...new Set(assets.map(({ jobId }) => jobId))];
  const usages = ids.map((id) => jobs.get(id)?.usage).filter((usage) => usage !== undefined);
  if (!settings.openAfterSave) {
    if (caller === 'person' && vscode.window.state.focused) void tryToShow(log, offerToOpen(uris, usages));
    return;
  }
  await tryToShow(log, openUris(uris));
  // Opened files need no notification, except for what they cost.
  if (caller === 'person' && usages.length > 0) {
    vscode.window.setStatusBarMessage(savedSentence(uris, usages), shownFor);
  }
}

/** Reports that a part of a long text or recording was stored, and how to get the rest. */
export async function showPartKept(job: Job): Promise<void> {
  const again = vscode.l10n.t('Run Again');
  const title = jobTitle(job);
  const sentence =
    job.operation === 'speak'
      ? vscode.l10n.t('{0}: one part was spoken and stored. Run Again speaks the rest and joins the parts.', title)
      : vscode.l10n.t('{0}: the transcript of one part was stored. Run Again transcribes the rest.', title);
  const chosen = await notify.information(sentence, again);
  if (chosen === again) await vscode.commands.executeCommand(commandIds.runAgain, { jobId: job.id, byPerson: true });
}

/** Asks whether a recording that the service refused as too large may be sent in parts. */
export async function mayCutRecording(
  input: JobInput,
  { bytes, parts, partBytes }: CutQuestion,
  settings: Pick<Settings, 'hosts'>,
): Promise<boolean> {
  const name = 'file' in input.request ? shortLine(posix.basename(input.request.file), 80) : '';
  const send = vscode.l10n.t('Send in {0} Parts', parts);
  const title = vscode.l10n.t('The service refused {0} as too large. Send it in {1} parts?', name, parts);
  const note = vscode.l10n.t(
    'The recording is {0} MB. It will be cut at pauses into parts of at most {1} MB, and the service may bill each part as a separate request. To split large recordings without being asked, set “transcript.maxMegabytes”.',
    megabytes(bytes),
    megabytes(partBytes),
  );
  return (await maySend({ title, note, requests: [input], send }, settings)) !== undefined;
}

/** Rounded to tenths, and at least one tenth. */
function megabytes(bytes: number): string {
  return (Math.max(bytes, 100_000) / 1_000_000).toFixed(1);
}
