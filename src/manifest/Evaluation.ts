import * as l10n from '@vscode/l10n';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { describeLocal, describeRequest } from './describeRequest.ts';
import type { AssetState, Evaluated, Quantities, Waiting } from './Evaluated.ts';
import { noModelFor, reasonFor, requestProblem, sentenceOf } from './entryProblems.ts';
import type { FileHashes } from './FileHashes.ts';
import type { Lock, LockLine } from './Lock.ts';
import type { DerivedEntry, Entry, Manifest, Problem, RequestEntry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';
import type { DocumentFacts, DocumentPlan, NarratorOptions, PartsPlan } from './planDocument.ts';
import { reasonsFor } from './reasonsFor.ts';
import { sortEntries } from './sortEntries.ts';

const nothing: Quantities = { requests: 0, images: 0, videos: 0, characters: 0 };

export interface EvaluationOptions extends Pick<NarratorOptions, 'statesOf'> {
  readonly manifest: Manifest;
  readonly lock: Lock;
  readonly hashes: Pick<FileHashes, 'of' | 'locate'>;
  /** Whether the sandbox is used. Only the sandbox accepts assets made by the sandbox as fresh. */
  readonly sandbox: boolean;
  /** Returns the default model of an operation, for entries without a model. */
  modelFor?(id: OperationId): string | undefined;
  readonly speechMaxCharacters: number;
  /** Returns what an earlier, unfinished run left of a request; undefined to consider only the lock and the files. */
  waiting?(entry: RequestEntry, request: string): Promise<Waiting | undefined>;
  /** Returns the ID and model of a video in the library. */
  videoAt(path: string): Promise<{ readonly videoId: string; readonly model: string } | undefined>;
}

/** What an entry is made from, before the comparison with the lock. */
interface EntryFacts
  extends Pick<Evaluated, 'origin' | 'local' | 'model' | 'parentId' | 'narration' | 'parts' | 'pending'> {
  readonly problem: Pick<Problem, 'field' | 'sentence'> | undefined;
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
    this.order();
    const { entries } = this.#options.manifest;
    // Hashing is most of the work, so start it for all files at once.
    for (const path of entries.flatMap((entry) => [entry.path, ...inputsOf(entry)])) {
      this.#options.hashes.of(path).catch(() => undefined);
    }
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
      unsafe.push({ sentence: sentenceOf(error) });
      return undefined;
    });
    const facts = await (entry.type === 'derived'
      ? this.#derived(entry)
      : // Blocks can only be reused from the very file that was locked.
        this.#requested(entry, line?.output === output ? line : undefined));
    const found = unsafe[0] ?? facts.problem;
    const problem = found && { line: entry.line, path: entry.path, ...found };
    const differences =
      line && output !== undefined ? reasonsFor(line, facts, { sandbox, pending: facts.pending }) : [];
    const state = stateOf(output, line, differences);
    const base = { ...facts, entry, state, output, line, problem, waiting: undefined, repeats: 0 };
    const reasons = problem ? [problem.sentence] : state === 'stale' ? differences : [];
    if ((state !== 'missing' && state !== 'stale') || problem) {
      return { ...base, reasons, action: 'none', quantities: nothing };
    }
    if (entry.type === 'derived') return { ...base, reasons, action: 'local', quantities: nothing };
    const isLocked = line !== undefined && line.request === facts.origin.request && (sandbox || !line.sandbox);
    // The request is the same; only the local processing differs.
    if (state === 'stale' && isLocked) return { ...base, reasons, action: 'local', quantities: nothing };
    const { request } = facts.origin;
    const waiting = request === undefined ? undefined : await this.#waitingFor(entry, request, facts);
    if (waiting === 'saved' && isLocked) return { ...base, reasons, action: 'local', quantities: nothing, waiting };
    const all = this.#quantitiesOf(entry, facts);
    // When the answer for a part can be used after all, the other parts are sent.
    const isSent = waiting === undefined || (waiting === 'unusable' && facts.parts !== undefined);
    const quantities = isSent ? all : nothing;
    const repeats = waiting === 'unknown' ? Math.max(1, all.requests) : 0;
    const allReasons = [...reasons, ...(waiting === undefined ? [] : [reasonFor(waiting)])];
    return { ...base, reasons: allReasons, action: 'request', quantities, waiting, repeats };
  }

  async #waitingFor(entry: RequestEntry, request: string, { parts }: EntryFacts): Promise<Waiting | undefined> {
    return (await this.#options.waiting?.(entry, request)) ?? parts?.waiting;
  }

  async #derived(entry: DerivedEntry): Promise<EntryFacts> {
    const source = await this.#contentOf(entry.from);
    const { local, inputs } = describeLocal(entry, source.hash ?? '');
    return {
      origin: { request: undefined, inputs: { ...inputs, [`./${entry.from}`]: source.hash ?? '' } },
      local,
      model: undefined,
      parentId: undefined,
      narration: undefined,
      parts: undefined,
      pending: source.isPending ? [entry.from] : [],
      problem: source.problem === undefined ? undefined : { field: 'from', sentence: source.problem },
    };
  }

  async #requested(entry: RequestEntry, whole: LockLine | undefined): Promise<EntryFacts> {
    const { sandbox } = this.#options;
    const paths = inputsOf(entry).filter((path) => path !== entry.video);
    const contents = new Map(
      await Promise.all(paths.map(async (path) => [path, await this.#contentOf(path)] as const)),
    );
    const parent = entry.video === undefined ? undefined : await this.#parentOf(entry.video);
    const model = parent ? parent.model : this.#modelOf(entry);
    const wrong = [...contents.values()].map(({ problem }) => problem).find((problem) => problem !== undefined);
    const noModel = parent ? parent.problem : model === undefined ? noModelFor(entry) : undefined;
    const isReady = wrong === undefined && model !== undefined;
    const speech = isReady ? await this.#speechOf(entry, { model, sandbox, line: whole }) : {};
    const { narration } = speech;
    const origin = describeRequest(entry, {
      model: model ?? '',
      contentOf: (path) => contents.get(path)?.hash,
      videoId: parent?.videoId,
      spoken: narration?.spoken,
    });
    const { local, inputs } = describeLocal(entry);
    const invalid = () => requestProblem(entry, model, parent?.videoId, this.#options.manifest.folder);
    const sentence = wrong ?? noModel ?? speech.problem ?? (parent?.isPending ? undefined : invalid());
    return {
      origin: { ...origin, inputs: { ...origin.inputs, ...inputs } },
      local,
      model,
      parentId: parent?.videoId,
      narration,
      parts: speech.parts,
      pending: [
        ...[...contents].filter(([, { isPending }]) => isPending).map(([path]) => path),
        ...(parent?.isPending && entry.video !== undefined ? [entry.video] : []),
      ],
      problem: sentence === undefined ? undefined : { field: wrong === undefined ? 'model' : undefined, sentence },
    };
  }

  async #speechOf(
    entry: RequestEntry,
    facts: DocumentFacts,
  ): Promise<{ readonly narration?: DocumentPlan; readonly parts?: PartsPlan | undefined; readonly problem?: string }> {
    const { document, input } = entry;
    if (document === undefined && input === undefined) return {};
    try {
      // Most manifests need no document readers, which are slow to load.
      const { planDocument, planText } = await import('./planDocument.ts');
      if (document === undefined) return { parts: await planText(entry, facts, this.#options) };
      const narration = await planDocument(entry, facts, this.#options);
      return { narration, parts: narration };
    } catch (error) {
      return { problem: sentenceOf(error) };
    }
  }

  #modelOf({ operation, model }: RequestEntry): string | undefined {
    return model ?? this.#options.modelFor?.(operation);
  }

  /** Returns the hash that an input will have when this entry is made; none if that is not known yet. */
  async #contentOf(path: string): Promise<{ hash?: string | undefined; isPending: boolean; problem?: string }> {
    const entry = this.#entries.get(keyOf(path));
    if (entry) {
      const made = await this.of(entry);
      const { action, state, line, origin, local, output } = made;
      if (action === 'none' && state !== 'missing') return { hash: output, isPending: false };
      // Local processing of the same source gives the same file.
      const isSame =
        action === 'local' &&
        state === 'missing' &&
        line?.request === origin.request &&
        line?.local === local &&
        !line?.accepted;
      return isSame ? { hash: line?.output, isPending: false } : { isPending: true };
    }
    try {
      const hash = await this.#options.hashes.of(path);
      return hash === undefined
        ? { isPending: false, problem: l10n.t('input {0} is missing', path) }
        : { hash, isPending: false };
    } catch (error) {
      return { isPending: false, problem: sentenceOf(error) };
    }
  }

  /** Returns the ID and model of the video that a remix starts from. */
  async #parentOf(path: string): Promise<{
    readonly videoId?: string | undefined;
    readonly model?: string | undefined;
    readonly isPending: boolean;
    readonly problem?: string;
  }> {
    const entry = this.#entries.get(keyOf(path));
    if (entry?.type === 'request') {
      const { action, line, model, problem } = await this.of(entry);
      if (action === 'request' || problem) return { model, isPending: true };
      if (line?.videoId !== undefined) return { videoId: line.videoId, model, isPending: false };
    }
    const known = await this.#options.videoAt(path);
    if (known) return { ...known, isPending: false };
    return {
      isPending: false,
      problem: l10n.t('video: The service’s ID for {0} is not known here, so the video cannot be remixed.', path),
    };
  }

  #quantitiesOf(entry: RequestEntry, { parts }: EntryFacts): Quantities {
    const kind = operations[entry.operation].result;
    return {
      requests: parts ? parts.requests : 1,
      images: kind === 'images' ? (entry.variants ?? 1) : 0,
      videos: kind === 'videos' ? 1 : 0,
      characters: parts ? parts.characters : (entry.input ?? '').length,
    };
  }
}

function stateOf(output: string | undefined, line: LockLine | undefined, differences: readonly string[]): AssetState {
  if (output === undefined) return 'missing';
  if (!line) return 'unlocked';
  if (line.output !== output) return 'changed';
  return differences.length > 0 ? 'stale' : 'fresh';
}
