import * as vscode from 'vscode';
import { commandIds, settingId } from '../../contributions.ts';
import { Click } from '../../editor/Caller.ts';
import { run } from '../../editor/commands.ts';
import { describeProgress } from '../../editor/describeJob.ts';
import { libraryRoots } from '../../editor/libraryRoots.ts';
import { offerToOpen } from '../../editor/offerSaved.ts';
import { assetsOf, type RequestOptions } from '../../editor/requests/requests.ts';
import { runCommand } from '../../editor/runCommand.ts';
import { movesLibrary, type Settings } from '../../editor/Settings.ts';
import { asMediaError } from '../../editor/SourceFile.ts';
import { buttonOf, logError, showError } from '../../editor/showError.ts';
import type { Window } from '../../editor/Window.ts';
import { nameOf } from '../../foreign/nameOf.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { checked, isObject, object, type Shaped, text } from '../../foreign/shape.ts';
import type { Asset, LibraryEntry } from '../../library/LibraryRecord.ts';
import { valuesOf } from '../../library/recordFacts.ts';
import { withFolder } from '../../operations/declarations.ts';
import { MediaError, type MediaErrorAction, messageForPerson, reasonOf } from '../../operations/MediaError.ts';
import {
  type Area,
  areas,
  defaultOf,
  type Field,
  field,
  type Operation,
  type OperationId,
  operationIds,
  operations,
  wordsOf,
} from '../../operations/operations.ts';
import { priceProblem, readPrices } from '../../operations/prices.ts';
import { ServiceSetup } from '../../service/ServiceSetup.ts';
import {
  type Action,
  type BodyOf,
  type JobCard,
  localShapes,
  maxModels,
  type Notice,
  type ReplyOf,
  type Setup,
} from '../../webview/protocol/messages.ts';
import { wholeKey } from '../../wholes/wholeKey.ts';
import { isRunning, type Job } from '../../work/Job.ts';
import { errorOf } from '../../work/jobErrors.ts';
import { Connector } from './Connector.ts';
import { draftFiles, FormInputs } from './FormInputs.ts';
import { Gallery } from './Gallery.ts';
import { cardWords, jobCards, runOf, type Starting } from './jobCards.ts';
import { keepUnfinished, takeUnfinished } from './unfinished.ts';
import { keepFavouriteVoice, Voices } from './Voices.ts';

/** What this computer does before and after a request of the composer. */
export type LocalSteps = Pick<BodyOf<'submit'>, 'shape' | 'region'>;

/** What is to be done with results, and the address of the picture that a region is of. */
const restShape = object({ ...localShapes, source: text() });
/** The operation whose check tells whether an area can be used. */
const firstOf = { image: 'generateImage', audio: 'speak', video: 'generateVideo' } as const;

/** How long the status bar says that a cancelled job may be billed, in milliseconds. */
const cancelledShownFor = 10_000;

/** The part of the views' content that changed. `progress` may be delayed a little, the others not. */
export type ViewChange = 'setup' | 'jobs' | 'progress' | 'library';

/** The content and the actions of the Media views. One per window, even while no view is open. */
export class CreateSession implements vscode.Disposable {
  readonly dependencies: Window;
  readonly inputs: FormInputs;
  readonly gallery: Gallery;
  readonly connector: Connector;
  readonly voices: Voices;
  /** Why an area cannot be used. */
  readiness: Partial<Record<Area, MediaError>> = {};
  #starting: readonly Starting[] = [];
  /** The requests that were sent and are waited for, by the ids of their first cards. */
  readonly #sent = new Map<
    string,
    { readonly abort: AbortController; readonly rest: Shaped<typeof restShape> | undefined }
  >();
  /** The ids of sent requests by the runs of the jobs that they became. */
  readonly #requests = new Map<string, string>();
  /** Jobs that were seen running. Their cards stay when they fail. */
  readonly #seen = new Set<string>();
  /** Jobs that are done, but whose results the gallery has not read yet. */
  readonly #settling = new Set<string>();
  /** The folder that the person chose while none was open. */
  #chosen: vscode.Uri | undefined;
  /** The requests that are on their way to their job, by what is sent. */
  readonly #submitted = new Map<string, Promise<ReplyOf<'submit'>>>();
  /** Areas whose model lists are being read. */
  readonly #loading = new Set<Area>();
  readonly #changed = new vscode.EventEmitter<ViewChange>();
  readonly #subscriptions: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(dependencies: Window) {
    this.dependencies = dependencies;
    const { globalStorageUri, secrets } = dependencies.context;
    this.inputs = new FormInputs(vscode.Uri.joinPath(globalStorageUri, 'inputs'));
    this.voices = new Voices(vscode.Uri.joinPath(globalStorageUri, 'voices'), dependencies);
    const { settings, keys, service, models } = dependencies;
    this.connector = new Connector(new ServiceSetup({ settings, keys, service, suggestions: models }));
    this.gallery = new Gallery(dependencies.places, () => this.#changed.fire('library'));
    for (const job of dependencies.jobs.all) {
      if (isRunning(job)) this.#seen.add(job.id);
      if (job.state === 'done') void told(this.#finish(job));
    }
    const choose = () => {
      // The views load their pages again for another folder, and a page that waits for a reply would not get it. The
      // folder comes with the job, and stays when that is dismissed.
      if (this.#submitted.size > 0) return;
      this.#chosen = dependencies.places.chosen;
      this.#changed.fire('library');
    };
    this.#chosen = dependencies.places.chosen;
    const check = () => void this.checkReadiness();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.gallery,
      dependencies.jobs.onDidChange((id) => this.#noteJob(id)),
      secrets.onDidChange(check),
      dependencies.previews.onDidChange(() => this.gallery.announce()),
      dependencies.places.onDidChoose(choose),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) void this.gallery.read();
        // It decides which videos can be remixed.
        if (event.affectsConfiguration(settingId('service'))) this.gallery.announce();
        check();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire('setup')),
    );
    this.inputs.clean(draftFiles(dependencies.memory)).catch((error: unknown) => {
      dependencies.log.warn(`Old inputs could not be removed: ${reasonOf(error)}`);
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** The folders whose results are shown, among them those that a job's results were saved in instead of its own. */
  get roots(): readonly vscode.Uri[] {
    return libraryRoots(this.#chosen, this.dependencies.jobs, ({ root }) => !this.voices.owns(root));
  }

  /** The cards of running and failed jobs, newest first. */
  get cards(): readonly JobCard[] {
    const { jobs } = this.dependencies;
    const isStillShown = (job: Job) => {
      const { id, state, hasAnswer, place } = job;
      // Its button waits for it, and shows its failure.
      if (this.voices.owns(place.root)) return false;
      if (state === 'done') return this.#settling.has(id);
      if (state === 'cancelled' && !hasAnswer) return false;
      return this.#seen.has(id) || hasAnswer || state === 'unknown';
    };
    return jobCards(this.#starting, jobs.all, isStillShown, this.#requests, this.gallery, {
      titleOf: (id) => vscode.l10n.t(operations[id].title),
      stageOf,
      buttonOf: (action, error) => buttonOf(action, error).title,
      starting: vscode.l10n.t('starting'),
      usePrompt: vscode.l10n.t('Use Prompt'),
      chooseModel: vscode.l10n.t('Choose Another Model'),
      dismiss: vscode.l10n.t('Dismiss'),
    });
  }

  /** Whether the service lists models for this operation and the list has not been read yet. */
  canLoadModels(id: OperationId): boolean {
    const { models, settings } = this.dependencies;
    return this.readiness[operations[id].area] === undefined && models.canLoad(id, settings.usesSandbox);
  }

  async checkReadiness(): Promise<void> {
    const { service, models } = this.dependencies;
    await models.readGone();
    const found: Partial<Record<Area, MediaError>> = {};
    for (const area of areas) {
      await service.checkReady(firstOf[area]).catch((error: unknown) => {
        if (error instanceof MediaError) found[area] = error;
      });
    }
    this.readiness = found;
    this.#changed.fire('setup');
  }

  /** Reads the service's list of models once. A failure is only logged, because model names can be typed. */
  async loadModels(id: OperationId): Promise<void> {
    const { models, log } = this.dependencies;
    const { area } = operations[id];
    if (this.#loading.has(area) || !this.canLoadModels(id)) return;
    this.#loading.add(area);
    try {
      await models.load(id);
      this.#changed.fire('setup');
    } catch (error) {
      logError(error, log);
    } finally {
      this.#loading.delete(area);
    }
  }

  /**
   * Runs a request of the composer.
   *
   * @param local what this computer does before and after the request
   * @returns as soon as the job runs or could not start. The job's card shows the rest. Until then the same request is sent
   * only once.
   */
  submit(
    operation: OperationId,
    request: Readonly<Record<string, unknown>>,
    isVisible: () => boolean,
    local: LocalSteps,
  ): Promise<ReplyOf<'submit'>> {
    // A page that was hidden and shown again does not know that it has sent this.
    const key = JSON.stringify([operation, request, local]);
    const submitted = this.#submitted.get(key);
    if (submitted) return submitted;
    const reply = this.#submit(operation, request, isVisible, local).finally(() => {
      this.#submitted.delete(key);
      if (this.#submitted.size === 0) this.#chosen = this.dependencies.places.chosen;
    });
    this.#submitted.set(key, reply);
    return reply;
  }

  #submit(
    operation: OperationId,
    request: Readonly<Record<string, unknown>>,
    isVisible: () => boolean,
    local: LocalSteps,
  ): Promise<ReplyOf<'submit'>> {
    const starting: Starting = {
      id: crypto.randomUUID(),
      operation,
      words: wordsOf(operation, request) ?? nameOf(String(request.file ?? '')),
      model: String(request.model ?? ''),
      sandbox: this.dependencies.settings.usesSandbox,
      files: typeof request.n === 'number' ? request.n : 1,
      createdAt: new Date().toISOString(),
    };
    const abort = new AbortController();
    return new Promise<ReplyOf<'submit'>>((resolve) => {
      const onSending = () => {
        this.#sent.set(starting.id, { abort, rest: restOf(request, local) });
        this.#starting = [starting, ...this.#starting];
        this.#changed.fire('jobs');
        resolve({ outcome: 'started' });
      };
      runCommand('view', this.dependencies, () =>
        this.#run(operation, request, local, { signal: abort.signal, onSending }),
      )
        .then((assets) => {
          if (!assets) return resolve({ outcome: 'declined' });
          if (!isVisible()) void offerToOpen(assets.map(({ uri }) => uri));
        })
        .catch((failure: unknown) => {
          const error = mediaErrorOf(failure);
          const hasCard = error.jobId !== undefined;
          // A card shows the failure itself.
          if (!isVisible() || (!hasCard && this.#starting.includes(starting))) void showError(error);
          resolve(hasCard ? { outcome: 'started' } : failed(error));
        })
        .finally(() => this.#started(starting));
    });
  }

  async #run(
    operation: OperationId,
    request: Readonly<Record<string, unknown>>,
    { shape, region }: LocalSteps,
    options: Pick<RequestOptions, 'signal' | 'onSending'>,
  ): Promise<readonly Asset[] | undefined> {
    const { runs } = this.dependencies;
    if (typeof request.file === 'string') {
      const { recordingsToSend } = await import('../../editor/recordingsToSend.ts');
      const recording = vscode.Uri.parse(request.file, true);
      if (!(await recordingsToSend(operation, [recording], this.dependencies))) return undefined;
    }
    const { cutRegion, saveInShape, uprightFor } = await import('./finishResults.ts');
    const file = sourceOf(request);
    const edit = region && (await cutRegion(file, region, this.dependencies));
    const mask = region ? undefined : maskIn(request);
    const piece = edit && this.inputs.fromBytes(field('editImage', 'image_urls'), edit.name, edit.bytes);
    const sent = await (piece ?? (mask && uprightFor(file, mask, this.inputs)));
    const fields = sent === undefined ? request : { ...request, image_urls: [sent] };
    const outcomes = await runs.run([{ operation, fields }], 'view', options);
    if (!outcomes) return undefined;
    if (edit) {
      const pieces = assetsOf(outcomes);
      return (await told(edit.putBack(pieces))) ?? pieces;
    }
    const assets = assetsOf(outcomes);
    if (shape) await told(saveInShape(assets, shape, this.dependencies));
    return assets;
  }

  /** Marks a voice as a favourite, or no longer. */
  async keepFavourite(voice: string, isFavourite: boolean): Promise<void> {
    await keepFavouriteVoice(this.dependencies.memory, voice, isFavourite);
    this.#changed.fire('setup');
  }

  /** Removes a model from the suggestions until it is used again. */
  async forgetModel(id: OperationId, model: string): Promise<void> {
    const { lastUsed, settings } = this.dependencies;
    await lastUsed.forget(id, settings.usesSandbox, model);
    this.#changed.fire('setup');
  }

  /** Shows the form that connects a service in the side bar, where it takes the focus. */
  async askToConnect(): Promise<void> {
    await this.connector.ask();
    this.#changed.fire('setup');
  }

  /** Closes the form, unless no service is connected, and stops its test. */
  closeConnecting(): void {
    this.connector.close();
    this.#changed.fire('setup');
  }

  /** Runs an action of a job's card. */
  async actOnJob(id: string, action: string, isVisible: () => boolean): Promise<void> {
    const { jobs, runs } = this.dependencies;
    const job = jobs.get(id);
    if (!job) {
      // The card still says that the job starts.
      if (action === 'cancel') this.#sent.get(id)?.abort.abort();
      return;
    }
    if (action === 'cancel' || action === 'dismiss') {
      const command = action === 'cancel' ? commandIds.cancelJob : commandIds.dismissJob;
      await run(command, Click.on({ jobId: id }));
      return;
    }
    if (!job.error) return;
    const error = errorOf(id, job.error, job.hasAnswer);
    const offered = error.actions.find((one) => one === action);
    if (offered === 'runAgain' || offered === 'downloadAgain' || offered === 'saveElsewhere') {
      try {
        const assets = await runCommand('view', this.dependencies, () => runs.resume(offered, id, 'view'));
        if (assets && !isVisible()) void offerToOpen(assets.map(({ uri }) => uri));
      } catch (failure) {
        const reported = mediaErrorOf(failure);
        if (!isVisible() || reported.jobId === undefined) void showError(reported);
      }
    } else if (offered) {
      await buttonOf(offered).run();
      await this.checkReadiness();
    }
  }

  #started(starting: Starting): void {
    this.#sent.delete(starting.id);
    if (!this.#starting.includes(starting)) return;
    this.#starting = this.#starting.filter((one) => one !== starting);
    this.#changed.fire('jobs');
  }

  /**
   * Crops the results of a request, or puts them into their picture, when nobody waits for them any more: its job failed
   * at first, or its window was closed.
   */
  async #finish(job: Job): Promise<void> {
    const rest = checked(restShape, takeUnfinished(this.dependencies.memory, keyOf(job)));
    if (!rest || this.#sent.has(this.#requests.get(runOf(job)) ?? '')) return;
    const { shape, region, source } = rest;
    const assets = Object.values(job.assets);
    const { cutRegion, saveInShape } = await import('./finishResults.ts');
    if (!region) return shape ? saveInShape(assets, shape, this.dependencies) : undefined;
    const edit = await cutRegion(source, region, this.dependencies).catch(() => undefined);
    if (edit && edit.sha256 === job.inputs?.[0]?.sha256) {
      await edit.putBack(assets);
      return;
    }
    const sentence = vscode.l10n.t(
      '{0} is gone or has changed since a region of it was sent, so only the region was saved.',
      nameOf(source),
    );
    throw new MediaError('invalidInput', sentence);
  }

  #noteJob(id: string): void {
    const job = this.dependencies.jobs.get(id);
    // The model may be gone since then.
    if (job?.error?.kind === 'notFound') this.#changed.fire('setup');
    if (job && isRunning(job)) {
      const isKnown = this.#seen.has(id);
      this.#seen.add(id);
      if (isKnown) {
        this.#changed.fire('progress');
        return;
      }
      // The card of the sent request becomes the card of the job.
      const words = cardWords(job);
      const isIt = (one: Starting) => one.operation === job.operation && one.words === words;
      const starting = this.#starting.findLast(isIt);
      if (starting) {
        this.#requests.set(runOf(job), starting.id);
        keepUnfinished(this.dependencies.memory, keyOf(job), this.#sent.get(starting.id)?.rest);
      }
      this.#starting = this.#starting.filter((one) => one !== starting);
    }
    // Its card disappears by itself. The status bar says what it may cost, and the list of jobs keeps that.
    if (job?.state === 'cancelled' && !job.hasAnswer && job.error?.mayBeBilled && this.#seen.has(id)) {
      vscode.window.setStatusBarMessage(job.error.message, cancelledShownFor);
    }
    if (job?.state === 'done') void told(this.#finish(job));
    if (job?.state === 'done' && this.#seen.has(id)) {
      this.#settling.add(id);
      void this.gallery.read().then(() => {
        this.#settling.delete(id);
        this.#changed.fire('jobs');
      });
    }
    this.#changed.fire('jobs');
  }
}

/**
 * Waits for work on saved results. Their job has succeeded, so no card shows a failure of this work; it is shown in a
 * notification.
 */
async function told<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    void showError(asMediaError(error));
    return undefined;
  });
}

/** Returns what is to be done with the results of a request; undefined for nothing. */
function restOf(
  request: Readonly<Record<string, unknown>>,
  { shape, region }: LocalSteps,
): Shaped<typeof restShape> | undefined {
  return shape || region ? { shape, region, source: sourceOf(request) } : undefined;
}

function sourceOf({ image_urls }: Readonly<Record<string, unknown>>): string {
  return String(Array.isArray(image_urls) ? image_urls[0] : '');
}

/** Returns what is the same for a job and its repetition. */
function keyOf({ sandbox, operation, request, inputs = [] }: Job): string {
  const { values } = valuesOf(operation, request);
  const files = inputs.map(({ sha256, address }) => sha256 ?? address);
  return wholeKey('results', sandbox, operation, request.model, wordsOf(operation, request), values, files);
}

/** Returns the mask that goes with the only picture of a request. */
function maskIn({ image_urls, fields }: Readonly<Record<string, unknown>>): string | undefined {
  const isOne = Array.isArray(image_urls) && image_urls.length === 1 && /^file:/i.test(String(image_urls[0]));
  const mask = isObject(fields) ? fields.mask : undefined;
  return isOne && typeof mask === 'string' && /^file:/i.test(mask) ? mask : undefined;
}

function stageOf({ state, progress }: Pick<Job, 'state' | 'progress'>): string {
  if (progress) return describeProgress(progress);
  if (state === 'saving') return vscode.l10n.t('saving');
  return state === 'queued' ? vscode.l10n.t('waiting for its turn') : vscode.l10n.t('starting');
}

/** Describes a failure before there was a job. A cancellation is not a failure. */
function failed(error: MediaError): ReplyOf<'submit'> {
  if (error.kind === 'cancelled' && !error.mayBeBilled) return { outcome: 'declined' };
  return {
    outcome: 'failed',
    message: messageForPerson(error),
    field: error.field,
    actions: error.actions.map((id) => ({ id, title: buttonOf(id, error).title })),
  };
}

function mediaErrorOf(failure: unknown): MediaError {
  const error = asMediaError(failure);
  if (error instanceof MediaError) return error;
  const sentence = vscode.l10n.t('Unified Media failed unexpectedly. See the log for details.');
  return new MediaError('unreadableAnswer', sentence, { cause: error });
}

/** Returns what the composer offers, and the notices to show before sending. */
export function setupOf(session: CreateSession): Setup {
  const { settings, lastUsed, models } = session.dependencies;
  const sandbox = settings.usesSandbox;
  const entries = session.gallery.all.map(({ entry }) => entry);
  const used = usedModels(entries, sandbox);
  const usedWith = (id: OperationId) => [...(used.get(id) ?? [])];
  const namesOf = (id: OperationId) => models.names(id, sandbox, usedWith(id)).slice(0, maxModels);
  return {
    connecting: session.connector.form(isUnconnected(settings)),
    notices: noticesOf(session),
    models: forEachOperation(namesOf),
    forgettable: forEachOperation((id) =>
      models
        .known(id, sandbox, usedWith(id))
        .filter((name) => models.isForgettable(id, sandbox, name))
        .slice(0, maxModels),
    ),
    gone: forEachOperation((id) => namesOf(id).filter((name) => models.isGone(id, sandbox, name))),
    declared: withFolder(settings.declaredFields).declared,
    unloaded: operationIds.filter((id) => session.canLoadModels(id)),
    hosts: forEachOperation((id) => hostOf(id, settings)),
    prices: readPrices(settings.prices),
    favouriteVoices: session.dependencies.memory.get('favouriteVoices') ?? [],
    defaults: forEachOperation((id) => {
      const setting = (field: Field) => settings.valueFor(id, field);
      return startingTexts(id, lastUsed.get(id, sandbox), setting, models.known(id, sandbox, usedWith(id)));
    }),
  };
}

/**
 * Returns the models that were used with each operation, newest first.
 *
 * @param entries newest first
 */
function usedModels(
  entries: readonly LibraryEntry[],
  isSandbox: boolean,
): ReadonlyMap<OperationId, ReadonlySet<string>> {
  const used = new Map<OperationId, Set<string>>();
  for (const { operation, model, sandbox = false } of entries) {
    if (sandbox !== isSandbox) continue;
    const names = used.get(operation);
    if (names) names.add(model);
    else used.set(operation, new Set([model]));
  }
  return used;
}

/**
 * Returns the initial values of the options.
 *
 * @param last the values of the operation's last run
 * @param setting returns the configured value of a field
 */
function startingTexts(
  id: OperationId,
  last: Readonly<Record<string, unknown>>,
  setting: (field: Field) => unknown,
  models: readonly string[],
): Readonly<Record<string, string>> {
  const { fields }: Operation = operations[id];
  const pairs = fields.flatMap((field) => {
    if (field.type === 'text' || field.type === 'video') return [];
    const value = last[field.name] ?? setting(field) ?? defaultOf(field);
    const known = value ?? (field.type === 'model' ? models[0] : undefined);
    return typeof known === 'string' || typeof known === 'number' ? [[field.name, String(known)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** Returns where a request of an operation goes; an empty string for the sandbox. */
export function hostOf(id: OperationId, { usesSandbox, hosts }: Pick<Settings, 'usesSandbox' | 'hosts'>): string {
  return usesSandbox ? '' : hosts[operations[id].area];
}

function forEachOperation<T>(of: (id: OperationId) => T): Readonly<Record<OperationId, T>> {
  return Object.fromEntries(operationIds.map((id) => [id, of(id)])) as Record<OperationId, T>;
}

function noticesOf({ readiness, dependencies }: CreateSession): readonly Notice[] {
  const notices: Notice[] = [];
  for (const area of areas) {
    // Without a service, the view asks for one instead.
    const error = isUnconnected(dependencies.settings) ? undefined : readiness[area];
    if (!error) continue;
    const ids = operationIds.filter((id) => operations[id].area === area);
    notices.push({ operations: ids, text: error.message, actions: error.actions.flatMap(noticeAction) });
  }
  const wrongPrice = dependencies.settings.usesSandbox ? undefined : priceProblem(dependencies.settings.prices);
  if (wrongPrice !== undefined) notices.push({ operations: operationIds, text: wrongPrice, actions: [] });
  if (!vscode.workspace.workspaceFolders?.length) {
    notices.push({
      operations: operationIds,
      text: vscode.l10n.t('No folder is open, so you will be asked where to save results.'),
      actions: [{ id: 'openFolder', title: vscode.l10n.t('Open Folder') }],
    });
  }
  if (!vscode.workspace.isTrusted) {
    notices.push({
      operations: operationIds,
      text: vscode.l10n.t(
        'Restricted Mode: until you trust this workspace, its settings for models, folders and file names are ignored. Nothing is sent unless you ask for it.',
      ),
      canClose: true,
      actions: [{ id: 'manageTrust', title: vscode.l10n.t('Manage Workspace Trust') }],
    });
  }
  const { left } = withFolder(dependencies.settings.declaredFields);
  if (left.length > 0) {
    notices.push({
      operations: operationIds,
      text: vscode.l10n.t(
        'The folder’s setting “unifiedMedia.fields” may only narrow yours, so this part of it is ignored: {0}.',
        plainLine(left.join(', ')),
      ),
      canClose: true,
      actions: [],
    });
  }
  return notices;
}

function isUnconnected({ usesSandbox, hosts }: Settings): boolean {
  return !usesSandbox && areas.every((area) => hosts[area] === '');
}

function noticeAction(action: MediaErrorAction): readonly Action[] {
  switch (action) {
    case 'setUpService':
      return [{ id: 'connectService', title: vscode.l10n.t('Connect a Service…') }];
    case 'setApiKey':
    case 'useSandbox':
      return [{ id: action, title: buttonOf(action).title }];
    default:
      return [];
  }
}
