import * as l10n from '@vscode/l10n';
import { splitText } from '../jobs/speech/splitText.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { describeLocal } from './describeLocal.ts';
import { describeRequest } from './describeRequest.ts';
import type { AssetState, Evaluated, Quantities, Waiting } from './Evaluated.ts';
import { noModelFor, requestProblem, sentenceOf, wordsFor } from './entryProblems.ts';
import type { FileHashes } from './FileHashes.ts';
import type { Lock, LockLine } from './Lock.ts';
import type { DerivedEntry, Entry, Manifest, Problem, RequestEntry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';
import type { DocumentFacts, DocumentPlan } from './planDocument.ts';
import { reasonsFor } from './reasonsFor.ts';
import { sortEntries } from './sortEntries.ts';

export const nothing: Quantities = { requests: 0, images: 0, videos: 0, characters: 0 };

export interface EvaluationOptions {
  readonly manifest: Manifest;
  readonly lock: Lock;
  readonly hashes: Pick<FileHashes, 'of' | 'locate'>;
  /** Whether the sandbox would make what is missing: it alone takes what it made itself. */
  readonly sandbox: boolean;
  /** A model where the manifest names none. */
  modelFor?(id: OperationId): string | undefined;
  readonly speechMaxCharacters: number;
  /** What is there of an earlier run that did not come to its end. */
  waiting?(entry: RequestEntry, request: string, narration: DocumentPlan | undefined): Promise<Waiting | undefined>;
  /** A video that the library knows. */
  videoAt(path: string): Promise<{ readonly videoId: string; readonly model: string } | undefined>;
  /** Absolute; parts of speech that were paid for wait there. Undefined to look at the lock alone. */
  readonly partsFolder: string | undefined;
}

/** What an entry is made from, before it is compared with the lock. */
interface Made extends Pick<Evaluated, 'origin' | 'local' | 'model' | 'parentId' | 'narration' | 'pending'> {
  readonly problem: Pick<Problem, 'field' | 'sentence'> | undefined;
}

/** Finds how the entries of a manifest stand, each after those it is made of. Nothing is written or sent. */
export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #done = new Map<string, Promise<Evaluated>>();

  constructor(options: EvaluationOptions) {
    this.#options = options;
    this.#entries = new Map(options.manifest.entries.map((entry) => [keyOf(entry.path), entry]));
  }

  /** The entries, each after those it is made of. @throws MediaError `invalidInput` for a circle */
  order(): readonly Entry[] {
    return sortEntries(this.#entries);
  }

  /** How all entries stand, in the order of the manifest. @throws MediaError `invalidInput` for a circle */
  async all(): Promise<readonly Evaluated[]> {
    this.order();
    const { entries } = this.#options.manifest;
    // Reading is most of the work: it begins for all at once.
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

  /** Looks at an entry again that was made meanwhile. */
  made({ path }: Entry): void {
    this.#done.delete(path);
  }

  /** The locked assets that no entry makes. */
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
    const made = await (entry.type === 'derived'
      ? this.#derived(entry)
      : // Blocks are cut out of the file that the lock knows.
        this.#requested(entry, line?.output === output ? line : undefined));
    const found = unsafe[0] ?? made.problem;
    const problem = found && { line: entry.line, path: entry.path, ...found };
    const differences = line && output !== undefined ? reasonsFor(line, made, { sandbox, pending: made.pending }) : [];
    const state = stateOf(output, line, differences);
    const base = { ...made, entry, state, output, line, problem, waiting: undefined };
    const reasons = problem ? [problem.sentence] : state === 'stale' ? differences : [];
    if ((state !== 'missing' && state !== 'stale') || problem) {
      return { ...base, reasons, action: 'none', quantities: nothing };
    }
    if (entry.type === 'derived') return { ...base, reasons, action: 'local', quantities: nothing };
    const isLocked = line !== undefined && line.request === made.origin.request && (sandbox || !line.sandbox);
    // Only what is done on this machine is another.
    if (state === 'stale' && isLocked) return { ...base, reasons, action: 'local', quantities: nothing };
    const { request } = made.origin;
    const waiting = request === undefined ? undefined : await this.#options.waiting?.(entry, request, made.narration);
    if (waiting === 'saved' && isLocked) return { ...base, reasons, action: 'local', quantities: nothing, waiting };
    const quantities = waiting === undefined ? this.#quantitiesOf(entry, made) : nothing;
    const told = [...reasons, ...(waiting === undefined ? [] : [wordsFor(waiting)])];
    return { ...base, reasons: told, action: 'request', quantities, waiting };
  }

  async #derived(entry: DerivedEntry): Promise<Made> {
    const source = await this.#contentOf(entry.from);
    const { local, inputs } = describeLocal(entry, source.hash ?? '');
    return {
      origin: { request: undefined, inputs: { ...inputs, [`./${entry.from}`]: source.hash ?? '' } },
      local,
      model: undefined,
      parentId: undefined,
      narration: undefined,
      pending: source.isPending ? [entry.from] : [],
      problem: source.problem === undefined ? undefined : { field: 'from', sentence: source.problem },
    };
  }

  async #requested(entry: RequestEntry, whole: LockLine | undefined): Promise<Made> {
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
    const document = isReady ? await this.#documentOf(entry, { model, sandbox, line: whole }) : {};
    const { narration } = document;
    const origin = describeRequest(entry, {
      model: model ?? '',
      contentOf: (path) => contents.get(path)?.hash,
      videoId: parent?.videoId,
      spoken: narration?.spoken,
    });
    const { local, inputs } = describeLocal(entry);
    const invalid = () => requestProblem(entry, model, parent?.videoId, this.#options.manifest.folder);
    const sentence = wrong ?? noModel ?? document.problem ?? (parent?.isPending ? undefined : invalid());
    return {
      origin: { ...origin, inputs: { ...origin.inputs, ...inputs } },
      local,
      model,
      parentId: parent?.videoId,
      narration,
      pending: [
        ...[...contents].filter(([, { isPending }]) => isPending).map(([path]) => path),
        ...(parent?.isPending && entry.video !== undefined ? [entry.video] : []),
      ],
      problem: sentence === undefined ? undefined : { field: wrong === undefined ? 'model' : undefined, sentence },
    };
  }

  async #documentOf(
    entry: RequestEntry,
    facts: DocumentFacts,
  ): Promise<{ readonly narration?: DocumentPlan; readonly problem?: string }> {
    if (entry.document === undefined) return {};
    try {
      // Most manifests need no readers of documents, which take a while to load.
      const { planDocument } = await import('./planDocument.ts');
      return { narration: await planDocument(entry, facts, this.#options) };
    } catch (error) {
      return { problem: sentenceOf(error) };
    }
  }

  #modelOf({ operation, model }: RequestEntry): string | undefined {
    return model ?? this.#options.modelFor?.(operation);
  }

  /** The content of an input as it is when its turn comes. */
  async #contentOf(path: string): Promise<{ hash?: string | undefined; isPending: boolean; problem?: string }> {
    const entry = this.#entries.get(keyOf(path));
    if (entry) {
      const made = await this.of(entry);
      const { action, state, line, origin, local, output } = made;
      if (action === 'none' && state !== 'missing') return { hash: output, isPending: false };
      // What is made again of the same on this machine is the same.
      const isSame =
        action === 'local' && state === 'missing' && line?.request === origin.request && line?.local === local;
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

  /** The video that a remix starts from, by the service's name for it. */
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
      problem: l10n.t('video: The service has no name for {0} that is known here, so it cannot be remixed.', path),
    };
  }

  #quantitiesOf(entry: RequestEntry, { narration }: Made): Quantities {
    const kind = operations[entry.operation].result;
    const input = entry.input ?? '';
    return {
      requests: narration ? narration.requests : input === '' ? 1 : this.#partsOf(input),
      images: kind === 'images' ? (entry.variants ?? 1) : 0,
      videos: kind === 'videos' ? 1 : 0,
      characters: narration ? narration.characters : input.length,
    };
  }

  #partsOf(input: string): number {
    return Math.max(1, splitText(input, this.#options.speechMaxCharacters).length);
  }
}

function stateOf(output: string | undefined, line: LockLine | undefined, differences: readonly string[]): AssetState {
  if (output === undefined) return 'missing';
  if (!line) return 'unlocked';
  if (line.output !== output) return 'changed';
  return differences.length > 0 ? 'stale' : 'fresh';
}
