import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { type Caller, Click, callerOf } from '../../editor/Caller.ts';
import { run } from '../../editor/commands.ts';
import { jobTitle, jobWords } from '../../editor/describeJob.ts';
import { cannotRemix } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import type { Requests } from '../../editor/Requests.ts';
import { recordingsToSend } from '../../editor/recordingsToSend.ts';
import { askRequest } from '../../editor/requests/askRequest.ts';
import type { ResumeAction } from '../../editor/requests/JobActions.ts';
import { assetsOf, type RequestOptions } from '../../editor/requests/requests.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import { pointerProblem } from '../../files/lfsPointer.ts';
import { isObject } from '../../foreign/shape.ts';
import type { Library } from '../../library/Library.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { isVideo, type Video } from '../../library/Lineage.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { type Operation, type OperationId, operations, takesFiles, takesVideo } from '../../operations/operations.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import { SpokenSoFar, type WholeOptions } from '../../wholes/SpokenSoFar.ts';
import { isRunning, type Job } from '../../work/Job.ts';

/** The commands that run operations and act on jobs; loaded with the first one. */
export class OperationCommands {
  /** What is there of each document that is being spoken, by its URI. */
  readonly spoken = new Map<string, SpokenSoFar>();
  readonly #runs: Requests;
  readonly #parts: Window;

  constructor(parts: Window) {
    this.#runs = parts.runs;
    this.#parts = parts;
  }

  /**
   * Runs an operation for its command.
   *
   * @param argument the request's fields, a clicked file of the Explorer, or a video of the tree
   * @param all all the files selected in the Explorer
   * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
   * @throws MediaError, whose message ends with its kind, when a program called
   */
  run(id: OperationId, argument: unknown, all?: unknown): Promise<readonly Asset[] | undefined> {
    const { fields }: Operation = operations[id];
    const field = fields.find(takesFiles);
    if (field && argument instanceof vscode.Uri) {
      const files = Array.isArray(all) && all.length > 0 ? all : [argument];
      if (field.type === 'audioFile') return this.#runOn(id, files);
      // In the composer a person sees the picture.
      return Promise.resolve(run(commandIds.compose, id, files)).then(() => undefined);
    }
    if (takesVideo(operations[id]) && isVideo(argument)) return this.#remix(id, argument);
    return this.#run(id, argument, callerOf(argument));
  }

  /** Runs an operation on recordings that are selected in the Explorer. */
  async #runOn(id: OperationId, selected: readonly unknown[]): Promise<readonly Asset[] | undefined> {
    const uris = selected.filter((one) => one instanceof vscode.Uri);
    const files = await runCommand('person', this.#parts, () => recordingsToSend(id, uris, this.#parts));
    return files && this.#run(id, { files }, 'person', { preferred: this.#chosenForTranscripts() });
  }

  /** Returns the further values that were chosen in the form, which count for recordings in the Explorer, too. */
  #chosenForTranscripts(): Readonly<Record<string, unknown>> {
    const { options } = this.#parts.memory.get('draft') ?? {};
    return isObject(options) && isObject(options.transcript) ? options.transcript : {};
  }

  #run(
    id: OperationId,
    fields: unknown,
    caller: Caller,
    options: RequestOptions = {},
  ): Promise<readonly Asset[] | undefined> {
    const fileOf = ({ jobId = '' }: MediaError): string | undefined => {
      const job = this.#parts.jobs.get(jobId);
      return job && 'file' in job.request ? jobWords(job) : undefined;
    };
    return runCommand(
      caller,
      this.#parts,
      async () => {
        const outcomes = await this.#runs.run([{ operation: id, fields }], caller, options);
        return outcomes && assetsOf(outcomes);
      },
      fileOf,
    );
  }

  /** A video goes to the model that made it, so only the prompt is asked for. */
  #remix(id: OperationId, { entry }: Video): Promise<readonly Asset[] | undefined> {
    const { videoId: video_id, model, sandbox = false } = entry;
    if (sandbox === this.#parts.settings.usesSandbox) return this.#run(id, { video_id, model }, 'person');
    return runCommand('person', this.#parts, () => Promise.reject(cannotRemix(sandbox)));
  }

  /**
   * Speaks the selection, or else the whole document, as it would be read aloud.
   *
   * @param onDidChange called when what is there of a document changes
   */
  async narrate(argument: unknown, onDidChange: () => void): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const written = selectedText(editor) ?? editor?.document.getText() ?? '';
    const caller = callerOf(argument);
    const { DocumentReader } = await import('../../reading/DocumentReader.ts');
    const text = await runCommand(caller, this.#parts, async () =>
      editor ? new DocumentReader().speakableText(written, editor.document.languageId, editor.document.uri.path) : '',
    );
    if (text === undefined) return undefined;
    const pointer = editor && pointerProblem(posix.basename(editor.document.uri.path), written);
    if (text === '' || pointer !== undefined) {
      const sentence = pointer ?? vscode.l10n.t('There is no text to read aloud.');
      return runCommand(caller, this.#parts, () => Promise.reject(nothingFor('input', sentence, editor)));
    }
    // The editor's context menu passes its document.
    const given = typeof argument === 'object' && caller === 'program' ? argument : {};
    const { document } = editor ?? {};
    const onFirst = (spoken: SpokenSoFar) => document && this.#offer(document.uri, spoken, { caller, onDidChange });
    const hear: WholeOptions['hear'] = (parts, folders) => new SpokenSoFar(parts, folders, onFirst);
    return this.#run('speak', { ...given, input: text }, caller, { document, hear });
  }

  /** Speaks the changed parts of a document and joins them with the existing ones. */
  async narrateDocument(argument: unknown, onDidChange: () => void): Promise<readonly Asset[] | undefined> {
    const caller = callerOf(argument);
    const offer = (uri: vscode.Uri, spoken: SpokenSoFar) => this.#offer(uri, spoken, { caller, onDidChange });
    const made = await this.#narrate(argument, caller, offer);
    // Nothing listens to the library before VS Code first asks for lenses.
    onDidChange();
    return made;
  }

  /**
   * Narrates several documents after one question.
   *
   * @param argument `{uris, model, voice, response_format, fields}`, or the clicked document or folder of the Explorer
   * @param all all that is selected in the Explorer
   */
  async narrateDocuments(
    argument: unknown,
    all: unknown,
    onDidChange: () => void,
  ): Promise<readonly Asset[] | undefined> {
    const caller = callerOf(argument);
    // Several recordings that begin to play would interrupt each other.
    const offer = (uri: vscode.Uri, spoken: SpokenSoFar) =>
      this.#offer(uri, spoken, { caller: 'program', onDidChange });
    const made = await runCommand(caller, this.#parts, async () => {
      const { narrateDocuments } = await import('../../editor/requests/narrateDocuments.ts');
      const uris = argument instanceof vscode.Uri && Array.isArray(all) && all.length > 0 ? all : undefined;
      const given = uris ? Click.on({ uris }) : argument;
      const narrated = await narrateDocuments(given, caller, await this.#runs.narrator(), this.#parts, offer);
      if (!narrated) return undefined;
      await this.#lock(narrated.assets);
      if (narrated.failure !== undefined) throw narrated.failure;
      return narrated.assets;
    });
    onDidChange();
    return made;
  }

  /** Offers to play what is there of a document until all of it is, or plays it at once. */
  #offer(
    uri: vscode.Uri,
    spoken: SpokenSoFar,
    { caller, onDidChange }: { readonly caller: Caller; readonly onDidChange: () => void },
  ): void {
    const key = uri.toString();
    this.spoken.set(key, spoken);
    onDidChange();
    const listening = spoken.onDidChange(() => {
      if (!spoken.end) return;
      listening.dispose();
      if (this.spoken.get(key) === spoken) this.spoken.delete(key);
      onDidChange();
    });
    if (caller !== 'person' || !this.#parts.settings.get('narration.playsAtOnce')) return;
    void run(commandIds.playFromHere, Click.on({ uri, spoken }));
  }

  /** Speaks the paragraph at the cursor, or at a given line, once more: a voice never says it the same way twice. */
  speakAgain(argument: unknown): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const caller = callerOf(argument);
    const given =
      caller === 'person' && editor
        ? Click.on({ uri: editor.document.uri, line: editor.selection.active.line })
        : { line: 0, ...(typeof argument === 'object' ? argument : {}) };
    return this.#narrate(given, caller);
  }

  #narrate(
    argument: unknown,
    caller: Caller,
    onSpoken?: (document: vscode.Uri, spoken: SpokenSoFar) => void,
  ): Promise<readonly Asset[] | undefined> {
    return runCommand(caller, this.#parts, async () => {
      const made = await (await this.#runs.narrator()).run(argument, caller, undefined, onSpoken);
      if (made) await this.#lock(made);
      return made;
    });
  }

  async #lock(narrations: readonly Asset[]): Promise<void> {
    const { lockNarrated } = await import('./lockNarrated.ts');
    for (const asset of narrations) await lockNarrated(asset, this.#parts);
  }

  /** Generates an image from the selected text. */
  async generateFromSelection(): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const prompt = selectedText(editor)?.trim() ?? '';
    if (prompt !== '') return this.#run('generateImage', { prompt }, 'person', { document: editor?.document });
    return runCommand('person', this.#parts, () =>
      Promise.reject(nothingFor('prompt', vscode.l10n.t('Select the text that describes the image first.'), editor)),
    );
  }

  /** Adds a video that was made elsewhere with the same account, so that it can be remixed. */
  addVideo(argument: unknown): Promise<readonly Asset[] | undefined> {
    const { places } = this.#parts;
    const caller = callerOf(argument);
    return runCommand(caller, this.#parts, async () => {
      const place = await places.referenceFor('videos', caller === 'person');
      return place && addVideo(argument, caller, places.placeAt(place).library, this.#parts);
    });
  }

  /** @returns whether a job was cancelled */
  cancelJob(argument: unknown): Promise<boolean | undefined> {
    return this.#withJob(argument, isRunning, async (id) => (await this.#runs.jobActions()).cancel(id));
  }

  resume(action: ResumeAction, argument: unknown): Promise<readonly Asset[] | undefined> {
    const fits = (job: Job) => (action === 'runAgain' ? !isRunning(job) && job.state !== 'done' : job.hasAnswer);
    return this.#withJob(argument, fits, (id, caller) => this.#runs.resume(action, id, caller, Click.isTold(argument)));
  }

  /** @returns URIs of the files */
  saveRawAnswer(argument: unknown): Promise<readonly string[] | undefined> {
    const isKept = (job: Job) => !isRunning(job) && job.hasRawAnswer === true;
    return this.#withJob(argument, isKept, async (id, caller) =>
      (await this.#runs.jobActions()).saveRawAnswer(id, caller),
    );
  }

  dismissJob(argument: unknown): Promise<boolean | undefined> {
    const isOver = (job: Job) => !isRunning(job);
    return this.#withJob(argument, isOver, async (id, caller) => (await this.#runs.jobActions()).dismiss(id, caller));
  }

  /** @param argument `{jobId}` or an item of a view; without it the person chooses among the jobs that fit */
  #withJob<T>(
    argument: unknown,
    fits: (job: Job) => boolean,
    work: (jobId: string, caller: Caller) => Promise<T>,
  ): Promise<T | undefined> {
    const given = jobIdIn(argument);
    const caller = given === undefined ? 'person' : callerOf(argument);
    return runCommand(caller, this.#parts, async () => {
      const jobId = given ?? (await pickJob(this.#parts.jobs.all.filter(fits)))?.id;
      return jobId === undefined ? undefined : work(jobId, caller);
    });
  }
}

function jobIdIn(argument: unknown): string | undefined {
  const jobId = isObject(argument) ? argument.jobId : undefined;
  return typeof jobId === 'string' ? jobId : undefined;
}

async function pickJob(jobs: readonly Job[]): Promise<Job | undefined> {
  if (jobs.length === 0) {
    void notify.information(vscode.l10n.t('There is no job that this command applies to.'));
    return undefined;
  }
  const items = jobs.map((job) => ({
    label: jobTitle(job),
    description: new Date(job.createdAt).toLocaleString(vscode.env.language),
    detail: job.error?.message,
    job,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Choose a job') });
  return chosen?.job;
}

function selectedText(editor: vscode.TextEditor | undefined): string | undefined {
  return editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
}

function nothingFor(field: 'input' | 'prompt', sentence: string, editor: vscode.TextEditor | undefined): MediaError {
  const label = field === 'input' ? vscode.l10n.t('Text') : vscode.l10n.t('Prompt');
  const problem = editor ? sentence : vscode.l10n.t('Open a document first.');
  return new MediaError('invalidInput', `${label} (${field}): ${problem}`, { field });
}

const videoNames = ['video_id', 'model', 'prompt'];
const addingVideo = { ...operations.remixVideo, title: 'Add Video by ID' };

/**
 * Records a video that has no file here, so that it is listed and can be remixed.
 *
 * @param argument `{video_id, model, prompt}`; missing fields are asked for, except that a program may leave out the
 *   prompt
 * @returns an empty list, since nothing is saved; undefined when the person dismissed a question
 * @throws MediaError `invalidInput` that names the field, `save`
 */
async function addVideo(
  argument: unknown,
  caller: Caller,
  library: Library,
  { settings, models }: Pick<Window, 'settings' | 'models'>,
): Promise<readonly Asset[] | undefined> {
  const given = argument === undefined ? {} : checkFields(vscode.l10n.t(addingVideo.title), videoNames, argument);
  const fields = videoNames.flatMap((name) => addingVideo.fields.filter((field) => field.name === name));
  const questions = fields.filter(
    ({ name }) => given[name] === undefined && (caller === 'person' || name !== 'prompt'),
  );
  const names = models.names('generateVideo', settings.usesSandbox);
  const answers = await askRequest(
    addingVideo,
    questions.map((field) => ({
      field: field.name === 'prompt' ? { ...field, placeholder: 'What the video shows' } : field,
      value: () => (field.name === 'model' ? names[0] : undefined),
      // The wrong model could not remix it, so it is not taken from the last run unless it is the only one.
      isSettled: () => field.name === 'model' && names.length === 1,
      suggestions: () => (field.name === 'model' ? names.map((value) => ({ value, label: value })) : []),
    })),
  );
  if (!answers) return undefined;
  const values = { ...given, ...answers };
  const [videoId = '', model = '', prompt] = videoNames.map((name) => {
    const field = fields.find((one) => one.name === name);
    return field && (name !== 'prompt' || values[name] !== undefined) ? String(validateField(field, values[name])) : '';
  });
  await library.check();
  await library.append({
    kind: 'videos',
    operation: 'generateVideo',
    model,
    prompt: prompt || undefined,
    createdAt: new Date().toISOString(),
    jobId: crypto.randomUUID(),
    videoId,
    sandbox: settings.usesSandbox || undefined,
  });
  if (caller === 'person') {
    void notify.information(vscode.l10n.t('The video is in the list and can be remixed.'));
  }
  return [];
}
