import * as l10n from '@vscode/l10n';
import { type Amounts, noAmounts, unitOf } from '../operations/amounts.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { type OperationId, wordsOf } from '../operations/operations.ts';
import type { Prices } from '../operations/prices.ts';
import { DocumentReader } from '../reading/DocumentReader.ts';
import type { RecordingLength } from '../sound/readRecording.ts';
import type { SpeechLimits } from '../wholes/speakInParts.ts';
import { ifBilled } from '../work/jobErrors.ts';
import type { KeyOrigin } from '../work/repeatable.ts';
import { describeLocal, describeRequest, type Origin, requestOf } from './describeRequest.ts';
import { LeavingInputs } from './LeavingInputs.ts';
import { LeftWork, type Waiting } from './LeftWork.ts';
import type { LockLine } from './Lock.ts';
import {
  type DerivedEntry,
  type Entry,
  inputsOf,
  keyOf,
  namedInputsOf,
  type Problem,
  type RequestEntry,
  sortEntries,
  timesPathOf,
} from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { DocumentFacts, DocumentPlan, PartsPlan } from './planDocument.ts';
import { inField } from './readManifest.ts';
import { madeFrom, paragraphsDiffer } from './spokenLines.ts';

export type AssetState = 'fresh' | 'missing' | 'stale' | 'changed' | 'unlocked';

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

/** Shared, because each reader starts a thread of its own. */
const reader = new DocumentReader();

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
  readonly #project: ManifestProject;
  readonly #options: PlanOptions;
  readonly #inputs: LeavingInputs;
  /** Undefined to consider only the manifest, the lock and the files. */
  readonly #work: LeftWork | undefined;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #done = new Map<string, Promise<Evaluated>>();

  constructor(project: ManifestProject, options: PlanOptions) {
    this.#project = project;
    this.#options = options;
    this.#inputs = new LeavingInputs(project, options.withoutGit);
    this.#work = options.seesWork ? new LeftWork(project, options.sandbox, options.keyOrigin) : undefined;
    this.#entries = new Map(project.manifest.entries.map((entry) => [keyOf(entry.path), entry]));
  }

  /** Returns the entries, each after its inputs. @throws MediaError `invalidInput` for a cycle */
  order(): readonly Entry[] {
    return sortEntries(this.#entries);
  }

  /** Evaluates all entries, in the order of the manifest. @throws MediaError `invalidInput` for a cycle */
  async all(): Promise<readonly Evaluated[]> {
    const { entries } = this.#project.manifest;
    const order = this.order();
    // Hashing is most of the work, so start it for all files at once.
    for (const path of entries.flatMap((entry) => [entry.path, ...inputsOf(entry)])) {
      this.#project.hashes.of(path).catch(() => undefined);
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
    this.#work?.refresh();
  }

  /** The locked assets without an entry. */
  get orphans(): readonly LockLine[] {
    return [...this.#project.lock].filter(([key]) => !this.#entries.has(key)).map(([, line]) => line);
  }

  async #evaluate(entry: Entry): Promise<Evaluated> {
    const { lock, hashes } = this.#project;
    const { sandbox } = this.#options;
    const locked = lock.get(keyOf(entry.path));
    const unsafe: Pick<Problem, 'sentence'>[] = [];
    const output = await hashes.of(entry.path).catch((error: unknown) => {
      unsafe.push({ sentence: reasonOf(error) });
      return undefined;
    });
    // Where case matters, a file whose entry was renamed only by case is still there, and paid for.
    const before = output === undefined && locked && locked.path !== entry.path ? locked.path : undefined;
    if (before !== undefined && (await hashes.of(before).catch(() => undefined)) !== undefined) {
      unsafe.push({ sentence: l10n.t('Its file is named {0}. Rename the file to {1}.', before, entry.path) });
    }
    const facts = await (entry.type === 'derived'
      ? this.#derived(entry)
      : // Blocks can only be reused from the very file that was locked.
        this.#requested(entry, output, locked?.output === output ? locked : undefined));
    const line = (facts.narration && madeFrom(facts.narration, facts)) ?? locked;
    const found = unsafe[0] ?? facts.problem;
    const problem = found && { line: entry.line, path: entry.path, ...found };
    const differences = line && output !== undefined ? reasonsFor(line, facts, sandbox) : [];
    const state = stateOf(output, line, differences);
    const base = { ...facts, entry, state, output, line, problem, waiting: undefined };
    const reasons = problem ? [problem.sentence] : state === 'stale' ? differences : [];
    if (state === 'fresh' && !problem && locked?.output !== output) {
      return { ...base, reasons: [l10n.t('not in the lock yet')], action: 'local', quantities: noAmounts };
    }
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
    const quantities = isSent ? { ...all, ...(await this.#lengthOf(entry, facts)) } : noAmounts;
    const { document } = entry;
    const allReasons = [
      ...reasons,
      ...(waiting === undefined ? [] : [reasonFor(waiting, this.#options)]),
      ...(document !== undefined && facts.pending.includes(document) ? [madeFirst(document)] : []),
    ];
    return { ...base, reasons: allReasons, action: 'request', quantities, waiting };
  }

  async #waitingFor(entry: RequestEntry, request: string, { parts }: EntryFacts): Promise<Waiting | undefined> {
    return (await this.#work?.stateOf(entry, request)) ?? parts?.waiting;
  }

  async #derived(entry: DerivedEntry): Promise<EntryFacts> {
    const source = await this.#contentOf(entry.from);
    const times = entry.captions ? timesPathOf(entry.from) : undefined;
    const timesHash = times === undefined ? undefined : await this.#project.hashes.of(times);
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
    const isThere = (await this.#project.hashes.of(from)) !== undefined;
    return isThere ? l10n.t('input {0} is missing', times) : undefined;
  }

  async #requested(entry: RequestEntry, output: string | undefined, whole: LockLine | undefined): Promise<EntryFacts> {
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
    const noteOn = (spoken: string) =>
      this.#project.variants.keyFor(entry.path, originFor(spoken).request ?? '', this.#options.sandbox);
    const speech = isReady ? await this.#speechOf(entry, { model, output, line: whole, noteOn }) : {};
    const { narration } = speech;
    const origin = originFor(narration?.spoken);
    const { local, inputs } = describeLocal(entry);
    const known = wrong?.sentence ?? noModel ?? speech.problem;
    const isBuilt = known === undefined && !parent?.isPending && entry.document === undefined;
    const { folder } = this.#project.manifest;
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
      const refusal = await this.#inputs.problemOf(input, hash !== undefined, isMade);
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
      if (document === undefined) return { parts: await planText(entry, facts.model, this.#options, this.#work) };
      const options = { ...this.#options, documents: this.#options.documents ?? reader };
      const narration = await planDocument(this.#project, entry, facts, options, this.#work);
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
      if (state === 'fresh' || (action === 'none' && state !== 'missing')) {
        return { hash: output, isPending: false, isMade };
      }
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
      const hash = await this.#project.hashes.of(path);
      return hash === undefined
        ? { isPending: false, problem: l10n.t('input {0} is missing', path) }
        : { hash, isPending: false };
    } catch (error) {
      return { isPending: false, problem: reasonOf(error) };
    }
  }

  /** Returns the ID and model of a video in the library. */
  async #videoAt(path: string) {
    const known = (await this.#project.recordsOf(path)).findLast(
      (entry) => entry.videoId !== undefined && (entry.sandbox === true) === this.#options.sandbox,
    );
    return known?.videoId === undefined ? undefined : { videoId: known.videoId, model: known.model };
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
        const made = isOwn ? await this.#videoAt(path) : undefined;
        const maker = made?.videoId === line.videoId ? made.model : model;
        return { videoId: line.videoId, model: maker, isPending: false };
      }
    }
    const known = await this.#videoAt(path);
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
  async #lengthOf({ values: { file } }: RequestEntry, { pending }: EntryFacts): Promise<RecordingLength> {
    if (file === undefined) return { minutes: 0 };
    if (!pending.includes(file)) return this.#project.hashes.lengthOf(file);
    const source = this.#entries.get(keyOf(file));
    if (source?.type !== 'request') return { minutes: leastMinutes };
    const { parts } = await this.of(source);
    const texts = parts?.blocks.map(({ request }) => request.input) ?? [source.values.input ?? ''];
    const characters = texts.reduce((total, { length }) => total + length, 0);
    return { minutes: Math.max(leastMinutes, Math.ceil(characters / charactersPerMinute)) };
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

/** Returns why an asset is stale; none if it is fresh. */
function reasonsFor(
  line: LockLine,
  { origin, local, pending, narration }: Pick<EntryFacts, 'origin' | 'local' | 'pending' | 'narration'>,
  sandbox: boolean,
): readonly string[] {
  const isFromSandbox = line.sandbox === true && !sandbox;
  const isSame = line.request === origin.request && line.local === local && pending.length === 0;
  if (isSame && !isFromSandbox) return [];
  const reasons = namesThatDiffer(line.inputs ?? {}, origin.inputs, pending).map(
    (name) => (narration && paragraphsDiffer(name, line, narration)) ?? describeChange(name),
  );
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

function noModelFor({ operation }: RequestEntry): string {
  return l10n.t('The entry has no model. Set one in the entry or in the defaults of {0}.', operation);
}
