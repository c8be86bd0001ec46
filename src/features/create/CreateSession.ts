import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { offerToOpen } from '../../editor/openAssets.ts';
import { movesLibrary } from '../../editor/Settings.ts';
import { buttonOf, showError } from '../../editor/showError.ts';
import { isRunning } from '../../jobs/JobList.ts';
import { errorOf } from '../../jobs/jobErrors.ts';
import type { Field } from '../../operations/Field.ts';
import { takesFiles } from '../../operations/Field.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import type { Area, Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import type { FieldTexts, Form } from '../../webview/messages.ts';
import { Draft } from './Draft.ts';
import { KeptInputs } from './KeptInputs.ts';
import type { LatestResult } from './LatestResults.ts';
import { LatestResults } from './LatestResults.ts';
import type { CreateDependencies } from './registerCreate.ts';
import { requestOf } from './requestOf.ts';

/** The operation by which an area is asked whether it can be used. */
const firstOf = { image: 'generateImage', audio: 'speak', video: 'generateVideo' } as const;

/** A failure before there was a job, of a job that was started here, or of one that waits for the person to decide. */
export interface ToldFailure {
  readonly operation: OperationId;
  readonly error: MediaError;
}

/** The form is another, and perhaps a field of it is the one to go on with. */
export type FormChange = Pick<Form, 'focus'>;

/** What the Create view shows and does, whether it is open or not: one for a window. */
export class CreateSession implements vscode.Disposable {
  readonly dependencies: CreateDependencies;
  readonly draft: Draft;
  readonly inputs: KeptInputs;
  readonly results: LatestResults;
  /** What keeps an area from being used. */
  readiness: Partial<Record<Area, MediaError>> = {};
  /** The submission that was dealt with last. */
  settled: number | undefined;
  /** What is being put into the form. */
  #adding: Promise<unknown> = Promise.resolve();
  readonly #failures = new Map<string, ToldFailure>();
  readonly #changed = new vscode.EventEmitter<FormChange | undefined>();
  readonly #subscriptions: vscode.Disposable;
  /** With a value when the form has been changed here; else it is the view's. */
  readonly onDidChange = this.#changed.event;

  constructor(dependencies: CreateDependencies) {
    this.dependencies = dependencies;
    this.draft = new Draft(dependencies.memory);
    this.inputs = new KeptInputs(dependencies.inputsFolder);
    this.results = new LatestResults(dependencies.places, () => this.#changed.fire(undefined));
    const check = () => void this.checkReadiness();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.results,
      dependencies.jobs.onDidChange(() => this.#changed.fire(undefined)),
      dependencies.onDidChangeKey(check),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) this.results.read();
        check();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire(undefined)),
    );
    const needed = this.draft.files.flatMap(([, files]) => Object.values(files).flat());
    this.inputs.clean(needed).catch((error: unknown) => {
      dependencies.log.warn(`Old inputs could not be removed: ${reasonOf(error)}`);
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** The folders that results are in: those that are open, and those that were chosen where none is. */
  get roots(): readonly vscode.Uri[] {
    const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    const chosen = this.dependencies.jobs.all.map(({ place, whole }) => (whole?.place ?? place).root);
    return [...new Set([...open, ...chosen.sort()])].map((uri) => vscode.Uri.parse(uri, true));
  }

  /** By the id of the job, or of the attempt that came to none. A job that is gone, or runs again, has none. */
  get failures(): readonly (readonly [string, ToldFailure])[] {
    const withoutJob = [...this.#failures].filter(([, { error }]) => error.jobId === undefined);
    const ofJobs = this.dependencies.jobs.all.flatMap((job) => {
      const { id, operation, error, hasAnswer } = job;
      const isTold = this.#failures.has(id) || hasAnswer || job.state === 'unknown';
      return error && isTold && !isRunning(job)
        ? [[id, { operation, error: errorOf(id, error, hasAnswer) }] as const]
        : [];
    });
    return [...withoutJob, ...ofJobs];
  }

  async checkReadiness(): Promise<void> {
    const { service } = this.dependencies;
    const found: Partial<Record<Area, MediaError>> = {};
    for (const area of ['image', 'audio', 'video'] as const) {
      await service.checkReady(firstOf[area]).catch((error: unknown) => {
        if (error instanceof MediaError) found[area] = error;
      });
    }
    this.readiness = found;
    this.#changed.fire(undefined);
  }

  /** Runs what the form holds; how it ends is shown here, or where the person is by then. */
  async submit(submission: number, id: OperationId, texts: FieldTexts, isVisible: () => boolean): Promise<void> {
    const { runs } = this.dependencies;
    this.draft.setTexts(id, texts);
    for (const [key, { error }] of this.#failures) if (error.jobId === undefined) this.#failures.delete(key);
    const settle = () => {
      this.settled = Math.max(this.settled ?? 0, submission);
      this.#changed.fire(undefined);
    };
    if (!(await this.#addAllTyped(id))) return settle();
    await this.#told(id, isVisible, () => {
      const request = requestOf(id, texts, (field) => this.draft.filesOf(id, field));
      return runs.run(id, request, settle);
    });
    settle();
  }

  /** Does what the failure offers. */
  async actOn(failureId: string, action: string, isVisible: () => boolean): Promise<void> {
    const { runs } = this.dependencies;
    const told = this.failures.find(([id]) => id === failureId)?.[1];
    if (!told) return;
    const offered = told.error.actions.find((one) => one === action);
    switch (offered) {
      case undefined:
        if (action === 'dismiss') await this.#dismiss(failureId, told);
        return;
      case 'runAgain':
      case 'downloadAgain':
      case 'saveElsewhere':
        await this.#told(told.operation, isVisible, () => runs.resume(offered, failureId));
        return;
      default:
        await buttonOf(offered).run();
        await this.checkReadiness();
    }
  }

  /** Puts files into a field; several ways to name them, and one to refuse. */
  addFiles(id: OperationId, name: string, add: (field: Field) => Promise<readonly string[]>): Promise<boolean> {
    const added = this.#addFiles(id, name, add);
    this.#adding = Promise.all([this.#adding, added]);
    return added;
  }

  /** A path that was typed last counts: nothing is sent without it. */
  async #addAllTyped(id: OperationId): Promise<boolean> {
    await this.#adding;
    const { fields }: Operation = operations[id];
    for (const { name } of fields.filter(takesFiles)) {
      const text = this.draft.form.texts[id]?.[name]?.trim() ?? '';
      if (text !== '' && !(await this.addTyped(id, name, text))) return false;
    }
    return true;
  }

  async #addFiles(id: OperationId, name: string, add: (field: Field) => Promise<readonly string[]>): Promise<boolean> {
    const field = (operations[id] as Operation).fields.find((one) => one.name === name);
    if (!field) return false;
    this.#failures.delete(name);
    try {
      const added = await add(field);
      const before = field.type === 'images' ? this.draft.filesOf(id, name) : [];
      const last = field.type === 'images' ? added : added.slice(-1);
      if (last.length > 0) this.draft.setFiles(id, name, [...new Set([...before, ...last])]);
      return true;
    } catch (error) {
      this.#failures.set(name, { operation: id, error: mediaErrorOf(error) });
      return false;
    } finally {
      this.#changed.fire(undefined);
    }
  }

  /** Puts a file by its path or URL into a field. What cannot be used is put back, so that it can be mended. */
  async addTyped(id: OperationId, name: string, text: string): Promise<boolean> {
    const isAdded = await this.addFiles(id, name, async (field) => [
      await this.inputs.fromText(field, text, this.roots[0]),
    ]);
    this.draft.setTexts(id, { [name]: isAdded ? '' : text });
    this.#changed.fire({});
    return isAdded;
  }

  removeFile(id: OperationId, field: string, uri: string): void {
    const left = this.draft.filesOf(id, field).filter((one) => one !== uri);
    this.draft.setFiles(id, field, left);
    this.#changed.fire(undefined);
  }

  /** Fills the form from what made a result, so that it can be changed and run. */
  reuse({ entry }: LatestResult): void {
    const { operation, prompt = '', model } = entry;
    const field = operation === 'speak' ? 'input' : 'prompt';
    this.#fill(operation, { model, [field]: prompt }, field);
  }

  remix({ entry }: LatestResult): void {
    this.#fill('remixVideo', { model: entry.model, video_id: entry.videoId ?? '' }, 'prompt');
  }

  #fill(tab: OperationId, texts: FieldTexts, focus: string): void {
    this.draft.setTab(tab);
    this.draft.setTexts(tab, texts);
    this.#changed.fire({ focus });
  }

  /** Lets something run whose failure is shown in the view, or in a notification when that is hidden. */
  async #told(
    operation: OperationId,
    isVisible: () => boolean,
    work: () => Promise<readonly { readonly uri: string }[] | undefined>,
  ): Promise<void> {
    try {
      const assets = await work();
      if (assets && !isVisible()) void offerToOpen(assets.map(({ uri }) => uri));
    } catch (failure) {
      const error = mediaErrorOf(failure);
      // Cancelled before anything was sent: the person's own wish.
      if (error.kind === 'cancelled' && !error.mayBeBilled) return;
      this.#failures.set(error.jobId ?? crypto.randomUUID(), { operation, error });
      if (!isVisible()) void showError(error);
      this.#changed.fire(undefined);
    }
  }

  async #dismiss(id: string, { error }: ToldFailure): Promise<void> {
    if (error.jobId === undefined) this.#failures.delete(id);
    else await vscode.commands.executeCommand(commandIds.dismissJob, { jobId: error.jobId, byPerson: true });
    this.#changed.fire(undefined);
  }
}

function mediaErrorOf(error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  const sentence = vscode.l10n.t('Unified Media failed unexpectedly. The log holds the details.');
  return new MediaError('unreadableAnswer', sentence, { cause: error });
}
