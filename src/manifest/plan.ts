import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Difference } from '../library/LibraryRecord.ts';
import { type Amounts, noAmounts, sum, unitOf } from '../operations/amounts.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { type OperationId, wordsOf } from '../operations/operations.ts';
import { type Cost, costOfAll, type Prices, secondsIn } from '../operations/prices.ts';
import { DocumentReader } from '../reading/DocumentReader.ts';
import type { SpeechLimits } from '../wholes/speakInParts.ts';
import { ifBilled } from '../work/jobErrors.ts';
import type { KeyOrigin } from '../work/repeatable.ts';
import type { Listing } from '../work/Store.ts';
import { describeLocal, describeRequest, type Origin, requestOf, type Sent, sentWith } from './describeRequest.ts';
import type { FileHashes } from './FileHashes.ts';
import { keptNarrations } from './keptNarrations.ts';
import { LeavingInputs } from './LeavingInputs.ts';
import type { Lock, LockLine } from './Lock.ts';
import {
  type DerivedEntry,
  type Entry,
  inputsOf,
  keyOf,
  type Manifest,
  namedInputsOf,
  type Problem,
  type RequestEntry,
  sortEntries,
  timesPathOf,
} from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { DocumentFacts, DocumentPlan, NarratorOptions, PartsPlan } from './planDocument.ts';
import { described, inField } from './readManifest.ts';

type AssetState = 'fresh' | 'missing' | 'stale' | 'changed' | 'unlocked';

/**
 * What an earlier run left of a request: saved results, an answer still to be saved, one that cannot be used, or an
 * unknown outcome, where it may be `repeatable` under the same idempotency key. `running`: another program works on it.
 */
export type Waiting = 'saved' | 'answered' | 'unusable' | 'unknown' | 'repeatable' | 'running';

/** The state of an entry, and what apply would do about it. */
export interface Evaluated {
  readonly entry: Entry;
  readonly state: AssetState;
  /** Why it is not fresh. */
  readonly reasons: readonly string[];
  /** What apply would do. */
  readonly action: 'none' | 'local' | 'request';
  /** What apply would send. */
  readonly quantities: Amounts;
  /** Why apply cannot make it. */
  readonly problem: Problem | undefined;
  readonly waiting: Waiting | undefined;
  /** Hash of the existing file. */
  readonly output: string | undefined;
  readonly line: LockLine | undefined;
  readonly origin: Origin;
  readonly local: string | undefined;
  readonly model: string | undefined;
  /** The service's ID of the video to remix. */
  readonly parentId: string | undefined;
  readonly narration: DocumentPlan | undefined;
  /** The parts of a document or of a long text. */
  readonly parts: PartsPlan | undefined;
  /** Inputs that apply would make first. */
  readonly pending: readonly string[];
}

/** What the state of entries depends on, beside the manifest and its files. */
export interface PlanOptions extends SpeechLimits {
  readonly sandbox: boolean;
  /** Returns the default model of an operation, for entries without a model. */
  modelFor?(id: OperationId): string | undefined;
  /** Which services honour idempotency keys; none if absent. */
  readonly keyOrigin?: KeyOrigin;
  /** The person's own prices. */
  readonly prices?: Prices;
  /** Whether what earlier runs have paid for counts, too; else only the manifest, the lock and the files do. */
  readonly seesWork?: boolean;
  /** Whether requests whose outcome is unknown are sent again, and so count. */
  readonly again?: boolean;
  /** Reads the documents that entries name; a reader of its own if absent. */
  readonly documents?: DocumentReader;
  /** Whether nobody asked for the plan; entries with a document above 1 MB have a problem then. */
  readonly isUnasked?: boolean;
  /** Whether git must not be run, as in a folder that nobody trusts: its settings may name programs. */
  readonly withoutGit?: boolean;
  /** Whether the plan covers a path; all paths if absent. */
  includes?(path: string): boolean;
  /** Set if the plan says what is wrong with assets that are fresh. */
  readonly warns?: { isGone(id: OperationId, model: string): boolean };
}

export interface PlanEntry {
  readonly path: string;
  readonly state: AssetState | 'orphan';
  readonly reasons: readonly string[];
  readonly requests: number;
  /** Each file and further field that is sent; absent if there are none. */
  readonly sends?: readonly Sent[];
  /** How the asset differs from what was asked for. */
  readonly differs?: readonly Difference[];
  /** The model that it is made with, if the service no longer has it. */
  readonly goneModel?: string;
}

/** The states of all assets of a manifest, and what apply would send. */
export interface Plan extends Omit<Amounts, 'requests'> {
  /** The number of requests by operation; operations without requests are absent. */
  readonly requests: Readonly<Partial<Record<OperationId, number>>>;
  readonly entries: readonly PlanEntry[];
  /** What the requests cost by the person's own prices; absent where one of them has no price. */
  readonly cost?: Cost;
}

export interface Planned {
  readonly plan: Plan;
  readonly evaluated: readonly Evaluated[];
  readonly orphans: readonly LockLine[];
}

/** Plans the assets of a manifest. @throws MediaError `invalidInput` for assets that depend on each other in a cycle */
export async function planAssets(project: ManifestProject, options: PlanOptions): Promise<Planned> {
  if (options.seesWork) await project.settle();
  const evaluation = evaluationOf(project, options);
  const isIncluded = (path: string) => options.includes?.(path) ?? true;
  const evaluated = (await evaluation.all()).filter(({ entry }) => isIncluded(entry.path));
  const orphans = evaluation.orphans.filter(({ path }) => isIncluded(path));
  const requests = requestsByOperation(evaluated);
  const { images, videos, characters, minutes } = totalOf(evaluated);
  const differences = options.warns ? await differencesOf(project, evaluated) : undefined;
  const entries: readonly PlanEntry[] = [
    ...evaluated.map(({ entry, model, state, reasons, quantities: { requests: sent } }) => {
      const isGone = entry.type === 'request' && model !== undefined && options.warns?.isGone(entry.operation, model);
      const warnings = { differs: differences?.get(entry.path), goneModel: isGone ? model : undefined };
      const sends = entry.type === 'request' && sent > 0 ? sentWith(entry, model ?? '') : [];
      return { path: entry.path, state, reasons, requests: sent, ...(sends.length > 0 && { sends }), ...warnings };
    }),
    ...orphans.map(({ path }) => ({ path, state: 'orphan' as const, reasons: [], requests: 0 })),
  ];
  const cost = costOfEntries(evaluated, options);
  const plan = { requests, images, videos, characters, minutes, ...(cost && { cost }), entries };
  return { plan, evaluated, orphans };
}

/** Returns how assets differ from what was asked for, as the library recorded it. Accepted assets are left out. */
async function differencesOf(
  project: ManifestProject,
  evaluated: readonly Evaluated[],
): Promise<ReadonlyMap<string, readonly Difference[]>> {
  const made = evaluated.filter(({ state, line, entry }) => {
    return entry.type === 'request' && (state === 'fresh' || state === 'stale') && !line?.accepted;
  });
  const paths = new Map(made.map(({ entry: { path } }) => [project.recorded(path), path]));
  const records = paths.size > 0 ? await project.library.entriesAt([...paths.keys()]).catch(() => []) : [];
  // The last record of a path describes its current content.
  const last = new Map(records.map(({ file = '', differs }) => [paths.get(file), differs]));
  return new Map([...last].flatMap(([path, differs]) => (path !== undefined && differs ? [[path, differs]] : [])));
}

/** Shared, because each reader starts a thread of its own. */
const reader = new DocumentReader();

export function evaluationOf(project: ManifestProject, options: PlanOptions): Evaluation {
  const { manifest, lock, hashes, store, rootUri, variants } = project;
  const { sandbox, speechMaxCharacters, splitsAnew, again, seesWork, documents = reader, isUnasked } = options;
  const inputs = new LeavingInputs(project, options.withoutGit);
  // While apply makes an entry, other programs may send requests.
  let listing = store.list();
  const all: EvaluationOptions = {
    manifest,
    lock,
    hashes,
    sandbox,
    speechMaxCharacters,
    splitsAnew,
    documents,
    isUnasked,
    again,
    modelFor: (id) => options.modelFor?.(id),
    videoAt: (path) => videoAt(project, path, sandbox),
    mayNotLeave: (...input) => inputs.problemOf(...input),
    ...(seesWork && {
      partsBegun: (whole) => store.partsOf(whole, listing),
      narrationKey: (path) => project.narrationKey(path),
      keptNarrations: (path) => keptNarrations(variants, path),
      noteOn: (path, request) => variants.keyFor(path, request, sandbox),
      waiting: (entry, request) => waitingFor(project, entry, request, { ...options, listing }),
      statesOf: (keys) => {
        const place = { root: rootUri, path: variants.pathOf('') };
        return store.statesOf(keys, place, { listing, keyOrigin: options.keyOrigin?.('speak') });
      },
      onForgotten: () => {
        listing = store.list();
      },
    }),
  };
  return new Evaluation(all);
}

/** Counts the requests that would be sent. */
export function requestsByOperation(evaluated: readonly Pick<Evaluated, 'entry' | 'quantities'>[]): Plan['requests'] {
  const requests: Partial<Record<OperationId, number>> = {};
  for (const { entry, quantities } of evaluated) {
    if (entry.type !== 'request' || quantities.requests === 0) continue;
    requests[entry.operation] = (requests[entry.operation] ?? 0) + quantities.requests;
  }
  return requests;
}

/** Sums up what would be sent. */
export function totalOf(evaluated: readonly Pick<Evaluated, 'quantities'>[]): Amounts {
  return sum(...evaluated.map(({ quantities }) => quantities));
}

/** Returns what apply would cost; undefined in the sandbox, which is free, and where a price is not known. */
export function costOfEntries(
  evaluated: readonly Pick<Evaluated, 'entry' | 'model' | 'quantities'>[],
  { sandbox, prices }: Pick<PlanOptions, 'sandbox' | 'prices'>,
): Cost | undefined {
  const sent = evaluated.filter(({ quantities }) => quantities.requests > 0);
  if (sandbox || !prices || sent.length === 0) return undefined;
  const amount = costOfAll(
    prices,
    sent.map(({ entry, model = '', quantities }) => ({
      model,
      counted: { ...quantities, seconds: secondsIn(entry.type === 'request' ? entry.further?.fields : undefined) },
    })),
  );
  return amount === undefined ? undefined : { amount, currency: prices.currency };
}

/**
 * @param manifest path of the manifest, whose name is shown
 * @throws MediaError `invalidInput` that lists all entries with problems
 */
export function checkProblems(evaluated: readonly Evaluated[], manifest: string): void {
  const problems = evaluated.flatMap(({ problem }) => problem ?? []);
  const [first] = problems;
  if (!first) return;
  const sentence = problems.map((problem) => described(problem, basename(manifest))).join('\n');
  throw new MediaError('invalidInput', sentence, { field: first.field });
}

/** Whether apply would do anything. */
export function hasWork(evaluated: readonly Evaluated[]): boolean {
  return evaluated.some(({ action }) => action !== 'none');
}

/**
 * Returns the exit code of the command line, and of a task: of `plan` 2 if apply would do anything, 1 if it would
 * only leave requests whose outcome is unknown, of `check` 1 if anything is not fresh.
 *
 * @throws MediaError for `plan`, as {@link checkProblems}
 */
export function exitCodeOf(verb: 'plan' | 'check', { plan, evaluated }: Planned, manifest: string): number {
  if (verb === 'check') {
    const isFresh = plan.entries.every(({ state }) => state === 'fresh');
    return isFresh && evaluated.every(({ problem }) => !problem) ? 0 : 1;
  }
  checkProblems(evaluated, manifest);
  if (!hasWork(evaluated)) return 0;
  const isLeft = ({ action, waiting, quantities }: Evaluated) =>
    action === 'none' || (waiting === 'unknown' && quantities.requests === 0);
  return evaluated.every(isLeft) ? 1 : 2;
}

async function videoAt(project: ManifestProject, path: string, sandbox: boolean) {
  const known = (await project.recordsOf(path)).findLast(
    (entry) => entry.videoId !== undefined && (entry.sandbox === true) === sandbox,
  );
  return known?.videoId === undefined ? undefined : { videoId: known.videoId, model: known.model };
}

/** Returns what earlier runs have left of an entry's request, which is sent as one. */
async function waitingFor(
  { variants, store, rootUri }: ManifestProject,
  { path, operation }: RequestEntry,
  request: string,
  { sandbox, keyOrigin, listing }: Pick<PlanOptions, 'sandbox' | 'keyOrigin'> & { readonly listing: Listing },
): Promise<Waiting | undefined> {
  const key = variants.keyFor(path, request, sandbox);
  const place = { root: rootUri, path: variants.pathOf(key) };
  const own = await store.keyAt(key, place, listing);
  const state = await store.stateOf(own, place, { listing, keyOrigin: keyOrigin?.(operation) });
  if (state !== 'none' && state !== 'finished') return state;
  return (await variants.list(key)).length > 0 ? 'saved' : undefined;
}

export interface EvaluationOptions
  extends SpeechLimits,
    Pick<NarratorOptions, 'statesOf' | 'partsBegun' | 'narrationKey' | 'keptNarrations' | 'documents' | 'isUnasked'> {
  readonly manifest: Manifest;
  readonly lock: Lock;
  readonly hashes: Pick<FileHashes, 'of' | 'locate' | 'minutesOf'>;
  /** Whether the sandbox is used. Only the sandbox accepts assets made by the sandbox as fresh. */
  readonly sandbox: boolean;
  readonly again?: boolean;
  /** Returns the default model of an operation, for entries without a model. */
  modelFor?(id: OperationId): string | undefined;
  /** Returns the key of the note on the parts of an entry's request. */
  noteOn?(path: string, request: string): string;
  /** Returns what an earlier, unfinished run left of a request; undefined to consider only the lock and the files. */
  waiting?(entry: RequestEntry, request: string): Promise<Waiting | undefined>;
  /** Called when the state of an entry is forgotten, since what earlier runs left has changed, too. */
  onForgotten?(): void;
  /** Returns the ID and model of a video in the library. */
  videoAt(path: string): Promise<{ readonly videoId: string; readonly model: string } | undefined>;
  /** Returns why an input must not be sent, as {@link LeavingInputs.problemOf} does. */
  mayNotLeave(...input: Parameters<LeavingInputs['problemOf']>): Promise<string | undefined>;
}

/** What an entry is made from, before the comparison with the lock. */
interface EntryFacts
  extends Pick<Evaluated, 'origin' | 'local' | 'model' | 'parentId' | 'narration' | 'parts' | 'pending'> {
  readonly problem: Pick<Problem, 'field' | 'sentence'> | undefined;
  /** How many images its request asks for. */
  readonly images: number;
}

/** An input as it will be when the entry with it is made. */
interface InputContent {
  readonly hash?: string;
  readonly isPending: boolean;
  readonly problem?: string;
  /** Whether an entry makes it or has made it. */
  readonly isMade?: boolean;
}

/** Evaluates the entries of a manifest, each after its inputs. Nothing is written or sent. */
export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #done = new Map<string, Promise<Evaluated>>();

  constructor(options: EvaluationOptions) {
    this.#options = options;
    this.#entries = new Map(options.manifest.entries.map((entry) => [keyOf(entry.path), entry]));
  }

  /** Returns the entries, each after its inputs. @throws MediaError `invalidInput` for a cycle */
  order(): readonly Entry[] {
    return sortEntries(this.#entries);
  }

  /** Evaluates all entries, in the order of the manifest. @throws MediaError `invalidInput` for a cycle */
  async all(): Promise<readonly Evaluated[]> {
    const { entries } = this.#options.manifest;
    const order = this.order();
    // Hashing is most of the work, so start it for all files at once.
    for (const path of entries.flatMap((entry) => [entry.path, ...inputsOf(entry)])) {
      this.#options.hashes.of(path).catch(() => undefined);
    }
    // Each after its inputs: otherwise the stack would be as deep as the longest chain.
    for (const entry of order) void this.of(entry);
    return Promise.all(entries.map((entry) => this.of(entry)));
  }

  of(entry: Entry): Promise<Evaluated> {
    const known = this.#done.get(entry.path) ?? this.#evaluate(entry);
    this.#done.set(entry.path, known);
    return known;
  }

  /** Forgets the state of an entry that has been made since, so that it is evaluated again. */
  forget({ path }: Entry): void {
    this.#done.delete(path);
    this.#options.onForgotten?.();
  }

  /** The locked assets without an entry. */
  get orphans(): readonly LockLine[] {
    return [...this.#options.lock].filter(([key]) => !this.#entries.has(key)).map(([, line]) => line);
  }

  async #evaluate(entry: Entry): Promise<Evaluated> {
    const { lock, hashes, sandbox } = this.#options;
    const line = lock.get(keyOf(entry.path));
    const unsafe: Pick<Problem, 'sentence'>[] = [];
    const output = await hashes.of(entry.path).catch((error: unknown) => {
      unsafe.push({ sentence: reasonOf(error) });
      return undefined;
    });
    // Where case matters, a file whose entry was renamed only by case is still there, and paid for.
    const before = output === undefined && line && line.path !== entry.path ? line.path : undefined;
    if (before !== undefined && (await hashes.of(before).catch(() => undefined)) !== undefined) {
      unsafe.push({ sentence: l10n.t('Its file is named {0}. Rename the file to {1}.', before, entry.path) });
    }
    const facts = await (entry.type === 'derived'
      ? this.#derived(entry)
      : // Blocks can only be reused from the very file that was locked.
        this.#requested(entry, line?.output === output ? line : undefined));
    const found = unsafe[0] ?? facts.problem;
    const problem = found && { line: entry.line, path: entry.path, ...found };
    const differences =
      line && output !== undefined ? reasonsFor(line, facts, { sandbox, pending: facts.pending }) : [];
    const state = stateOf(output, line, differences);
    const base = { ...facts, entry, state, output, line, problem, waiting: undefined };
    const reasons = problem ? [problem.sentence] : state === 'stale' ? differences : [];
    if ((state !== 'missing' && state !== 'stale') || problem) {
      return { ...base, reasons, action: 'none', quantities: noAmounts };
    }
    if (entry.type === 'derived') return { ...base, reasons, action: 'local', quantities: noAmounts };
    const isLocked = line !== undefined && line.request === facts.origin.request && (sandbox || !line.sandbox);
    // The request is the same; only the local processing differs.
    if (state === 'stale' && isLocked) return { ...base, reasons, action: 'local', quantities: noAmounts };
    const { request } = facts.origin;
    const waiting = request === undefined ? undefined : await this.#waitingFor(entry, request, facts);
    if (waiting === 'saved' && isLocked) return { ...base, reasons, action: 'local', quantities: noAmounts, waiting };
    const all = this.#quantitiesOf(entry, facts);
    const isSent =
      waiting === undefined ||
      waiting === 'repeatable' ||
      (waiting === 'unknown' && this.#options.again) ||
      // When the answer for a part can be used after all, the other parts are sent.
      (waiting === 'unusable' && facts.parts !== undefined);
    const minutes = isSent ? await this.#minutesOf(entry, facts) : 0;
    const quantities = isSent ? { ...all, minutes } : noAmounts;
    const { document } = entry;
    const allReasons = [
      ...reasons,
      ...(waiting === undefined ? [] : [reasonFor(waiting, this.#options)]),
      ...(document !== undefined && facts.pending.includes(document) ? [madeFirst(document)] : []),
    ];
    return { ...base, reasons: allReasons, action: 'request', quantities, waiting };
  }

  async #waitingFor(entry: RequestEntry, request: string, { parts }: EntryFacts): Promise<Waiting | undefined> {
    return (await this.#options.waiting?.(entry, request)) ?? parts?.waiting;
  }

  async #derived(entry: DerivedEntry): Promise<EntryFacts> {
    const source = await this.#contentOf(entry.from);
    const times = entry.captions ? timesPathOf(entry.from) : undefined;
    const timesHash = times === undefined ? undefined : await this.#options.hashes.of(times);
    const { local, inputs } = describeLocal(entry, [source.hash ?? '', timesHash ?? []].flat().join(' '));
    const problem = source.problem ?? (source.isPending ? undefined : await this.#noTimes(entry, timesHash));
    const beside = times !== undefined && timesHash !== undefined ? { [`./${times}`]: timesHash } : {};
    return {
      origin: { request: undefined, inputs: { ...inputs, [`./${entry.from}`]: source.hash ?? '', ...beside } },
      local,
      model: undefined,
      parentId: undefined,
      narration: undefined,
      parts: undefined,
      pending: source.isPending ? [entry.from] : [],
      problem: problem === undefined ? undefined : { field: entry.captions ? 'captions' : 'from', sentence: problem },
      images: 0,
    };
  }

  /** Returns what is wrong with captions whose transcript is there without its times. */
  async #noTimes({ captions, from }: DerivedEntry, timesHash: string | undefined): Promise<string | undefined> {
    const times = timesPathOf(from);
    if (!captions || timesHash !== undefined || this.#entries.has(keyOf(times))) return undefined;
    // The times come with a transcript that is not there yet.
    const isThere = (await this.#options.hashes.of(from)) !== undefined;
    return isThere ? l10n.t('input {0} is missing', times) : undefined;
  }

  async #requested(entry: RequestEntry, whole: LockLine | undefined): Promise<EntryFacts> {
    const { sandbox } = this.#options;
    const { video_id: video } = entry.values;
    const paths = inputsOf(entry).filter((path) => path !== video);
    const contents = new Map(
      await Promise.all(paths.map(async (path) => [path, await this.#contentOf(path)] as const)),
    );
    const parent = video === undefined ? undefined : await this.#parentOf(video);
    const model = parent ? parent.model : this.#modelOf(entry);
    const wrong = await this.#wrongInput(entry, contents);
    const noModel = parent ? parent.problem : model === undefined ? noModelFor(entry) : undefined;
    // What a document says is not known before it is made, and so not what reading it aloud takes.
    const isUnread = contents.get(entry.document ?? '')?.isPending === true;
    const isReady = wrong === undefined && model !== undefined && !isUnread;
    const videoId = parent?.videoId;
    const originFor = (spoken: string | undefined) =>
      describeRequest(entry, {
        model: model ?? '',
        contentOf: (path) => contents.get(path)?.hash,
        videoId,
        spoken,
      });
    const noteOn = (spoken?: string) => this.#options.noteOn?.(entry.path, originFor(spoken).request ?? '');
    const speech = isReady ? await this.#speechOf(entry, { model, sandbox, line: whole, noteOn }) : {};
    const { narration } = speech;
    const origin = originFor(narration?.spoken);
    const { local, inputs } = describeLocal(entry);
    const known = wrong?.sentence ?? noModel ?? speech.problem;
    const isBuilt = known === undefined && !parent?.isPending && entry.document === undefined;
    const { folder } = this.#options.manifest;
    const building = isBuilt ? requestOf(entry, { model: model ?? '', videoId }, folder) : undefined;
    const sent = await building?.catch(reasonOf);
    const sentence = known ?? (typeof sent === 'string' ? sent : undefined);
    return {
      origin: { ...origin, inputs: { ...origin.inputs, ...inputs } },
      local,
      model,
      parentId: videoId,
      narration,
      parts: speech.parts,
      pending: [
        ...[...contents].filter(([, { isPending }]) => isPending).map(([path]) => path),
        ...(parent?.isPending && video !== undefined ? [video] : []),
      ],
      problem: wrong ?? (sentence === undefined ? undefined : { field: parent?.problem ? 'video' : 'model', sentence }),
      images: typeof sent === 'object' && 'n' in sent ? sent.n : 0,
    };
  }

  /** Returns what is wrong with the first input that is missing, cannot be read or must not be sent. */
  async #wrongInput(
    entry: RequestEntry,
    contents: ReadonlyMap<string, InputContent>,
  ): Promise<Pick<Problem, 'field' | 'sentence'> | undefined> {
    for (const input of namedInputsOf(entry)) {
      const { problem, hash, isMade = false } = contents.get(input.path) ?? {};
      const refusal = await this.#options.mayNotLeave(input, hash !== undefined, isMade);
      if (refusal !== undefined) return { field: input.field, sentence: inField(input.field, refusal) };
      if (problem !== undefined) return { field: input.field, sentence: problem };
    }
    return undefined;
  }

  async #speechOf(
    entry: RequestEntry,
    facts: DocumentFacts,
  ): Promise<{ readonly narration?: DocumentPlan; readonly parts?: PartsPlan; readonly problem?: string }> {
    const { document, values } = entry;
    if (document === undefined && values.input === undefined) return {};
    try {
      // Most manifests need no document readers, which are slow to load.
      const { planDocument, planText } = await import('./planDocument.ts');
      if (document === undefined) return { parts: await planText(entry, facts, this.#options) };
      const narration = await planDocument(entry, facts, this.#options);
      return { narration, parts: narration };
    } catch (error) {
      return { problem: reasonOf(error) };
    }
  }

  #modelOf({ operation, model }: RequestEntry): string | undefined {
    return model ?? this.#options.modelFor?.(operation);
  }

  /** Returns the hash that an input will have when this entry is made; none if that is not known yet. */
  async #contentOf(path: string): Promise<InputContent> {
    const entry = this.#entries.get(keyOf(path));
    if (entry) {
      const made = await this.of(entry);
      const { action, state, line, origin, local, output } = made;
      // A file that only lies in the place of one that would be made is not made by the entry.
      const isMade = output === undefined || output === line?.output;
      if (action === 'none' && state !== 'missing') return { hash: output, isPending: false, isMade };
      // Local processing of the same source gives the same file.
      const isSame =
        action === 'local' &&
        state === 'missing' &&
        line?.request === origin.request &&
        line?.local === local &&
        !line?.accepted;
      return isSame ? { hash: line?.output, isPending: false, isMade } : { isPending: true, isMade };
    }
    try {
      const hash = await this.#options.hashes.of(path);
      return hash === undefined
        ? { isPending: false, problem: l10n.t('input {0} is missing', path) }
        : { hash, isPending: false };
    } catch (error) {
      return { isPending: false, problem: reasonOf(error) };
    }
  }

  /** Returns the ID and model of the video that a remix starts from. */
  async #parentOf(path: string): Promise<{
    readonly videoId?: string;
    readonly model?: string;
    readonly isPending: boolean;
    readonly problem?: string;
  }> {
    const entry = this.#entries.get(keyOf(path));
    if (entry?.type === 'request') {
      const { action, state, line, model, problem } = await this.of(entry);
      if (action === 'request' || problem) return { model, isPending: true };
      if (line?.videoId !== undefined) {
        // The entry may name another model since a person took the file as it is.
        const isOwn = line.accepted || state === 'changed';
        const made = isOwn ? await this.#options.videoAt(path) : undefined;
        const maker = made?.videoId === line.videoId ? made.model : model;
        return { videoId: line.videoId, model: maker, isPending: false };
      }
    }
    const known = await this.#options.videoAt(path);
    if (known) return { ...known, isPending: false };
    return {
      isPending: false,
      problem: l10n.t('video: The service’s ID for {0} is not known here, so the video cannot be remixed.', path),
    };
  }

  /** Counts everything but minutes, which have to be measured. */
  #quantitiesOf({ operation, document, values }: RequestEntry, { parts, images }: EntryFacts): Amounts {
    const unit = unitOf(operation);
    const characters = unit === 'characters' ? (wordsOf(operation, values)?.length ?? 0) : 0;
    return {
      requests: parts?.requests ?? (document === undefined ? 1 : 0),
      images,
      videos: unit === 'videos' ? 1 : 0,
      characters: parts?.characters ?? characters,
      minutes: 0,
    };
  }

  /** Measures the recording of an entry, or estimates the length of one that is made first. */
  async #minutesOf({ values: { file } }: RequestEntry, { pending }: EntryFacts): Promise<number> {
    if (file === undefined) return 0;
    if (!pending.includes(file)) return this.#options.hashes.minutesOf(file);
    const source = this.#entries.get(keyOf(file));
    if (source?.type !== 'request') return leastMinutes;
    const { parts } = await this.of(source);
    const texts = parts?.blocks.map(({ request }) => request.input) ?? [source.values.input ?? ''];
    const characters = texts.reduce((total, { length }) => total + length, 0);
    return Math.max(leastMinutes, Math.ceil(characters / charactersPerMinute));
  }
}

/** Generous, because a recording that turns out longer than was agreed to is not sent. */
const [leastMinutes, charactersPerMinute] = [1, 300];

function stateOf(output: string | undefined, line: LockLine | undefined, differences: readonly string[]): AssetState {
  if (output === undefined) return 'missing';
  if (!line) return 'unlocked';
  if (line.output !== output) return 'changed';
  return differences.length > 0 ? 'stale' : 'fresh';
}

interface Circumstances {
  readonly sandbox: boolean;
  /** Inputs that will be made first. */
  readonly pending: readonly string[];
}

/** Returns why an asset is stale; none if it is fresh. */
function reasonsFor(
  line: LockLine,
  { origin, local }: { readonly origin: Origin; readonly local: string | undefined },
  { sandbox, pending }: Circumstances,
): readonly string[] {
  const isFromSandbox = line.sandbox === true && !sandbox;
  const isSame = line.request === origin.request && line.local === local && pending.length === 0;
  if (isSame && !isFromSandbox) return [];
  const reasons = namesThatDiffer(line.inputs ?? {}, origin.inputs, pending).map(describeChange);
  const changing = pending.map((path) => l10n.t('input {0} will be made again', path));
  const origins = isFromSandbox ? [l10n.t('the sandbox made it')] : [];
  const all = [...reasons, ...changing, ...origins];
  return all.length > 0 ? all : [l10n.t('the entry changed')];
}

function namesThatDiffer(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  pending: readonly string[],
): readonly string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].filter((name) => before[name] !== now[name] && !pending.includes(name.slice(2)));
}

function describeChange(name: string): string {
  return name.startsWith('./') ? l10n.t('input {0} changed', name.slice(2)) : l10n.t('{0} changed', name);
}

/** Returns why a document is not read aloud yet. */
export function madeFirst(document: string): string {
  return l10n.t('{0} is made first; apply again to have it read aloud', document);
}

/** Returns what an earlier run left, as a reason. */
function reasonFor(waiting: Waiting, options: Pick<PlanOptions, 'sandbox'>): string {
  switch (waiting) {
    case 'unknown':
      return l10n.t('its request was sent before, the outcome is unknown, and it may be billed');
    case 'repeatable':
      return l10n.t(
        'its request was sent before and the outcome is unknown; it is sent again under the same idempotency key, and billed once',
      );
    case 'unusable':
      return (
        ifBilled(options, l10n.t('the answer is paid for, but could not be used')) ??
        l10n.t('the answer could not be used')
      );
    case 'running':
      return l10n.t('another program is working on it');
    default:
      return (
        ifBilled(options, l10n.t('the result is paid for and only has to be saved')) ??
        l10n.t('the result only has to be saved')
      );
  }
}

/** Returns the error for a manifest, or an asset of it, that another process works on. */
export function inUse(): MediaError {
  return new MediaError(
    'invalidInput',
    l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
  );
}

function noModelFor({ operation }: RequestEntry): string {
  return l10n.t('The entry has no model. Set one in the entry or in the defaults of {0}.', operation);
}
