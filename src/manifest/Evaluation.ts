import * as l10n from '@vscode/l10n';
import { type Amounts, noAmounts, unitOf } from '../operations/amounts.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { type OperationId, sandboxModel, wordsOf } from '../operations/operations.ts';
import type { Prices } from '../operations/prices.ts';
import { DocumentReader } from '../reading/DocumentReader.ts';
import type { RecordingLength } from '../sound/readRecording.ts';
import type { SpeechLimits } from '../wholes/speakInParts.ts';
import { ifBilled } from '../work/jobErrors.ts';
import type { KeyOrigin } from '../work/repeatable.ts';
import { describeLocal, describeRequest, type Origin, requestOf } from './describeRequest.ts';
import { type Absence, GitAbsences, isElsewhere } from './GitAbsences.ts';
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
import { Orphans } from './Orphans.ts';
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
  /** The line that describes the entry under its earlier path, if the lock has none under its own. */
  readonly renamedFrom?: LockLine;
  /** Why its file is not there, if git has that. */
  readonly absence?: Absence;
  /** Whether it is made although it need not be. */
  readonly isAnew?: boolean;
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
  /** Paths of entries to make although they are fresh, or although git has a file that is not there. */
  readonly anew?: readonly string[];
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
  /** Why the first of its inputs that is not there is not; git has that, and it counts as the lock describes it. */
  readonly absent: string | undefined;
}

/** An input as it will be when the entry with it is made. */
interface InputContent {
  readonly hash?: string;
  readonly isPending: boolean;
  readonly problem?: string;
  /** Why it is not there, if git has it. */
  readonly absent?: string;
  /** Whether an entry makes it or has made it. */
  readonly isMade?: boolean;
}

/** Evaluates the entries of a manifest, each after its inputs. Nothing is written or sent. */
export class Evaluation {
  readonly #project: ManifestProject;
  readonly #options: PlanOptions;
  readonly #inputs: LeavingInputs;
  readonly #absences: GitAbsences;
  readonly #orphans: Orphans;
  /** The keys of the entries that are still to be made anew. */
  readonly #anew: Set<string>;
  /** Undefined to consider only the manifest, the lock and the files. */
  readonly #work: LeftWork | undefined;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #done = new Map<string, Promise<Evaluated>>();
  #linelessBefore: ReadonlyMap<Entry, Entry> | undefined;

  constructor(project: ManifestProject, options: PlanOptions) {
    this.#project = project;
    this.#options = options;
    this.#inputs = new LeavingInputs(project, options.withoutGit);
    this.#work = options.seesWork ? new LeftWork(project, options.sandbox, options.keyOrigin) : undefined;
    this.#entries = new Map(project.manifest.entries.map((entry) => [keyOf(entry.path), entry]));
    this.#absences = new GitAbsences(project, options.withoutGit);
    // Those of entries that are left out for their errors are not without an entry.
    const left = new Set(project.problems.flatMap(({ path }) => (path === undefined ? [] : [keyOf(path)])));
    const isOrphan = (key: string) => !this.#entries.has(key) && !left.has(key);
    const orphans = [...project.lock].filter(([key]) => isOrphan(key)).map(([, line]) => line);
    this.#orphans = new Orphans(orphans, project.hashes, options.sandbox);
    this.#anew = new Set(options.anew?.map(keyOf));
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

  /** Forgets the state of an entry that has changed since, so that it is evaluated again. */
  forget({ path }: Entry): void {
    this.#done.delete(path);
    this.#work?.refresh();
  }

  /** As {@link forget}, for an entry that has been made, which is enough. */
  made(entry: Entry): void {
    this.#anew.delete(keyOf(entry.path));
    this.forget(entry);
  }

  /** Returns the locked assets without an entry, except those that an entry with another path describes now. */
  async orphans(): Promise<readonly LockLine[]> {
    if (!this.#orphans.isEmpty) await this.all();
    return this.#orphans.left;
  }

  /** Whether a file of the lock is neither here nor, as far as git says, anywhere else. */
  async isGone({ path }: LockLine): Promise<boolean> {
    const isThere = await this.#project.hashes.of(path).then(
      (hash) => hash !== undefined,
      () => true,
    );
    const absence = isThere ? undefined : await this.#absences.of(path);
    return !isThere && (absence === undefined || absence.how === 'deleted');
  }

  async #evaluate(entry: Entry): Promise<Evaluated> {
    const { lock, hashes } = this.#project;
    const own = lock.get(keyOf(entry.path));
    const unsafe: Pick<Problem, 'sentence'>[] = [];
    const output = await hashes.of(entry.path).catch((error: unknown) => {
      unsafe.push({ sentence: reasonOf(error) });
      return undefined;
    });
    // Where case matters, a file whose entry was renamed only by case is still there, and paid for.
    const before = output === undefined && own && own.path !== entry.path ? own.path : undefined;
    if (before !== undefined && (await hashes.of(before).catch(() => undefined)) !== undefined) {
      unsafe.push({ sentence: l10n.t('Its file is named {0}. Rename the file to {1}.', before, entry.path) });
    }
    const absence = output === undefined ? await this.#absences.of(entry.path) : undefined;
    let facts = await this.#factsOf(entry, own, output);
    const renamedFrom = own ? undefined : await this.#renamedFrom(entry, facts, output, absence);
    const locked = own ?? renamedFrom;
    const counted = output ?? (renamedFrom || isElsewhere(absence) ? locked?.output : undefined);
    if (renamedFrom) facts = await this.#factsOf(entry, renamedFrom, counted);
    const line = (facts.narration && madeFrom(facts.narration, facts)) ?? locked;
    const found = unsafe[0] ?? facts.problem;
    const problem = found && { line: entry.line, path: entry.path, ...found };
    const differences = line && counted !== undefined ? reasonsFor(line, facts, this.#options.sandbox) : [];
    const state = isElsewhere(absence) && !line ? 'unlocked' : stateOf(counted, line, differences);
    const reasons = [
      ...(renamedFrom ? [l10n.t('renamed from {0}', renamedFrom.path)] : []),
      ...(absence ? [absence.sentence] : []),
      ...(state === 'stale' ? differences : []),
      ...(state === 'fresh' && line?.sandbox ? [l10n.t('a sample of the sandbox')] : []),
    ];
    const more = { renamedFrom, absence, isAnew: this.#isAnew(entry) || undefined };
    const { absent, ...known } = facts;
    const base = { ...known, entry, state, output, line, problem, waiting: undefined, ...more };
    if (state === 'fresh' && !problem && !more.isAnew && output !== undefined && locked?.output !== output) {
      return { ...base, reasons: [l10n.t('not in the lock yet')], action: 'local', quantities: noAmounts };
    }
    return this.#decide({ ...base, reasons: problem ? [problem.sentence] : reasons }, facts);
  }

  #factsOf(entry: Entry, line: LockLine | undefined, output: string | undefined): Promise<EntryFacts> {
    if (entry.type === 'derived') return this.#derived(entry, line);
    // Blocks can only be reused from the very file that was locked.
    if (this.#isAnew(entry)) return this.#requested(entry, line, {});
    return this.#requested(entry, line, { output, whole: line?.output === output ? line : undefined });
  }

  #isAnew({ path }: Entry): boolean {
    return this.#anew.has(keyOf(path));
  }

  /** Returns the line of an entry that has none under its path. Entries have their turn in one order. */
  async #renamedFrom(
    entry: Entry,
    { origin: { request }, local }: EntryFacts,
    output: string | undefined,
    absence: Absence | undefined,
  ): Promise<LockLine | undefined> {
    if (this.#orphans.isEmpty || (absence && !isElsewhere(absence))) return undefined;
    this.#linelessBefore ??= previousIn(this.order().filter(({ path }) => !this.#project.lock.has(keyOf(path))));
    const previous = this.#linelessBefore.get(entry);
    if (previous) await this.of(previous);
    return this.#orphans.takeFor({ entry, request, local, output, isElsewhere: absence !== undefined });
  }

  /** Decides what apply would do about an entry. */
  async #decide(found: Omit<Evaluated, 'action' | 'quantities'>, facts: EntryFacts): Promise<Evaluated> {
    const { entry, state, line, output, problem, reasons, absence, isAnew, renamedFrom } = found;
    const { sandbox } = this.#options;
    const mayBeMade = absence ? isAnew && absence.how !== 'submodule' : output === undefined || state !== 'unlocked';
    const isWanted = mayBeMade && state !== 'changed' && (isAnew || state !== 'fresh');
    if (!isWanted || problem) {
      const action = renamedFrom && !problem && !absence ? 'local' : 'none';
      return { ...found, action, quantities: noAmounts };
    }
    if (facts.absent !== undefined) {
      return { ...found, reasons: [...reasons, facts.absent], action: 'none', quantities: noAmounts };
    }
    if (entry.type === 'derived') return { ...found, action: 'local', quantities: noAmounts };
    const isLocked = line !== undefined && line.request === facts.origin.request && (sandbox || !line.sandbox);
    // The request is the same; only the local processing differs.
    if (state === 'stale' && isLocked && !isAnew) return { ...found, action: 'local', quantities: noAmounts };
    const { request } = facts.origin;
    const left = request === undefined ? undefined : await this.#waitingFor(entry, request, facts);
    const waiting = left === 'saved' && isAnew ? undefined : left;
    if (waiting === 'saved' && isLocked) return { ...found, action: 'local', quantities: noAmounts, waiting };
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
      ...(isAnew ? [l10n.t('made anew')] : []),
      ...(waiting === undefined ? [] : [reasonFor(waiting, this.#options)]),
      ...(facts.model === sandboxModel && !sandbox ? [l10n.t('{0} is the model of the sandbox', sandboxModel)] : []),
      ...(document !== undefined && facts.pending.includes(document) ? [madeFirst(document)] : []),
    ];
    return { ...found, reasons: allReasons, action: 'request', quantities, waiting };
  }

  async #waitingFor(entry: RequestEntry, request: string, { parts }: EntryFacts): Promise<Waiting | undefined> {
    return (await this.#work?.stateOf(entry, request)) ?? parts?.waiting;
  }

  async #derived(entry: DerivedEntry, line: LockLine | undefined): Promise<EntryFacts> {
    const source = await this.#contentOf(entry.from, line);
    const times = entry.captions ? timesPathOf(entry.from) : undefined;
    const { hash: timesHash, absent } = times === undefined ? {} : await this.#timesOf(entry.from, line);
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
      absent: source.absent ?? absent,
    };
  }

  /** Returns the hash of the times of a transcript. They lie beside its file, which may still have its earlier name. */
  async #timesOf(from: string, line: LockLine | undefined): Promise<Pick<InputContent, 'hash' | 'absent'>> {
    const entry = this.#entries.get(keyOf(from));
    const renamed = entry && (await this.of(entry));
    if (renamed?.renamedFrom && renamed.output === undefined && !renamed.absence) {
      return { hash: await this.#project.hashes.of(timesPathOf(renamed.renamedFrom.path)) };
    }
    return this.#contentHere(timesPathOf(from), line);
  }

  /** Returns what is wrong with captions whose transcript is there without its times. */
  async #noTimes({ captions, from }: DerivedEntry, timesHash: string | undefined): Promise<string | undefined> {
    const times = timesPathOf(from);
    if (!captions || timesHash !== undefined || this.#entries.has(keyOf(times))) return undefined;
    // The times come with a transcript that is not there yet.
    const isThere = (await this.#project.hashes.of(from)) !== undefined;
    return isThere ? l10n.t('input {0} is missing', times) : undefined;
  }

  async #requested(
    entry: RequestEntry,
    line: LockLine | undefined,
    { output, whole }: { readonly output?: string; readonly whole?: LockLine },
  ): Promise<EntryFacts> {
    const { video_id: video } = entry.values;
    const paths = inputsOf(entry).filter((path) => path !== video);
    const contents = new Map(
      await Promise.all(paths.map(async (path) => [path, await this.#contentOf(path, line)] as const)),
    );
    const parent = video === undefined ? undefined : await this.#parentOf(video);
    const model = parent ? parent.model : this.#modelOf(entry);
    const wrong = await this.#wrongInput(entry, contents);
    const noModel = parent ? parent.problem : model === undefined ? noModelFor(entry) : undefined;
    // What a document says is not known before it is made, and so not what reading it aloud takes.
    const document = contents.get(entry.document ?? '');
    const isUnread = document?.isPending === true || document?.absent !== undefined;
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
    const origin = originFor(
      document?.absent === undefined ? narration?.spoken : line?.inputs?.[`./${entry.document}`],
    );
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
      absent: [...contents.values()].find(({ absent }) => absent !== undefined)?.absent,
    };
  }

  /** Returns what is wrong with the first input that is missing, cannot be read or must not be sent. */
  async #wrongInput(
    entry: RequestEntry,
    contents: ReadonlyMap<string, InputContent>,
  ): Promise<Pick<Problem, 'field' | 'sentence'> | undefined> {
    for (const input of namedInputsOf(entry)) {
      const { problem, hash, absent, isMade = false } = contents.get(input.path) ?? {};
      const refusal = await this.#inputs.problemOf(input, hash !== undefined && absent === undefined, isMade);
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

  /**
   * Returns the hash that an input will have when this entry is made; none if that is not known yet.
   *
   * @param of the line of the entry
   */
  async #contentOf(path: string, of: LockLine | undefined): Promise<InputContent> {
    const entry = this.#entries.get(keyOf(path));
    if (entry) return contentMade(await this.of(entry));
    try {
      const { hash, absent } = await this.#contentHere(path, of);
      if (hash !== undefined) return { hash, absent, isPending: false };
      const why = absent ?? (await this.#absences.of(path))?.sentence;
      const problem = l10n.t('input {0} is missing', path);
      return { isPending: false, problem: why === undefined ? problem : `${problem}: ${why}` };
    } catch (error) {
      return { isPending: false, problem: reasonOf(error) };
    }
  }

  /** Returns the hash of an input; of one that is not checked out here, that in the line of the entry. */
  async #contentHere(path: string, of: LockLine | undefined): Promise<Pick<InputContent, 'hash' | 'absent'>> {
    const hash = await this.#project.hashes.of(path);
    const absence = hash === undefined ? await this.#absences.of(path) : undefined;
    return isElsewhere(absence) ? { hash: of?.inputs?.[`./${path}`], absent: absence?.sentence } : { hash };
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

/** Returns the content of an entry's file as it will be when others are made from it. */
function contentMade({
  action,
  state,
  line,
  origin,
  local,
  output,
  absence,
  renamedFrom,
  isAnew,
}: Evaluated): InputContent {
  // A file that only lies in the place of one that would be made is not made by the entry.
  const isMade = output === undefined || output === line?.output;
  if (absence && action === 'none') {
    return { hash: line?.output, isPending: false, absent: absence.sentence, isMade };
  }
  const isThere = action === 'none' ? state !== 'missing' : state === 'fresh' && output !== undefined && !isAnew;
  if (isThere) return { hash: output, isPending: false, isMade };
  // Local processing of the same source gives the same file.
  const isSame =
    action === 'local' &&
    state !== 'stale' &&
    line?.request === origin.request &&
    line?.local === local &&
    (renamedFrom !== undefined || !line?.accepted);
  return isSame ? { hash: line?.output, isPending: false, isMade } : { isPending: true, isMade };
}

/** Returns which entry comes before each other one. */
function previousIn(entries: readonly Entry[]): ReadonlyMap<Entry, Entry> {
  return new Map(entries.slice(1).flatMap((entry, index) => (entries[index] ? [[entry, entries[index]]] : [])));
}

/** Whether a person may want an asset to be made although apply leaves it as it is. */
export function mayBeRenewed({ entry, state, absence, problem }: Evaluated): boolean {
  if (problem) return false;
  return absence
    ? absence.how === 'deleted' || absence.how === 'unclear'
    : entry.type === 'request' && state === 'fresh';
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
  return [...names].filter(
    (name) =>
      before[name] !== now[name] &&
      !pending.includes(name.slice(2)) &&
      !isRenamedIn(name, before, now) &&
      !isRenamedIn(name, now, before),
  );
}

/** Whether a file that only one of both names has another name in the other one. */
function isRenamedIn(
  name: string,
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const hash = one[name];
  if (!name.startsWith('./') || !hash || other[name] !== undefined) return false;
  return Object.entries(other).some(
    ([another, content]) => another.startsWith('./') && content === hash && one[another] === undefined,
  );
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
