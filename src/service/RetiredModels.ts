import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { anything, list, objectWith, optional, record, type Shaped, text } from '../foreign/shape.ts';
import type { OperationId } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';

/** What is known of a host's models. */
const isFacts = objectWith({
  /** The names of its last lists, by the path of the list. */
  lists: record(list(text(), Number.POSITIVE_INFINITY)),
  /** When it was noticed that it no longer has a model, ISO 8601 in UTC, by name. */
  gone: record(text()),
  /** When it answered that it does not have a model, by operation and name: another operation may have it. */
  refused: optional(record(record(text()))),
});
type HostFacts = Shaped<typeof isFacts>;
const isHosts = record(anything);

/**
 * The models that a host no longer has: its list had them once and has them no longer, or it answered 404 or 410 about them,
 * which counts for the operation that was asked for, until a list has them. Editor and command line share the file, so that `check` knows of them. A failure to read or write it is ignored:
 * the facts only warn.
 */
export class RetiredModels {
  readonly #file: string;
  #facts: ReadonlyMap<string, HostFacts> = new Map();

  /** @param file absolute path */
  constructor(file: string) {
    this.#file = file;
  }

  /** Reads the facts, which other processes may have changed. */
  async read(): Promise<void> {
    const value = parseJson(await readFile(this.#file, 'utf8').catch(() => ''));
    const hosts = isHosts(value) ? Object.entries(value) : [];
    this.#facts = new Map(hosts.flatMap(([host, facts]) => (isFacts(facts) ? [[host, facts] as const] : [])));
  }

  /** Whether a host no longer has a model for an operation, as of the last {@link read}. */
  has(host: string, id: OperationId, model: string): boolean {
    const { gone = {}, refused = {} } = this.#facts.get(keyOf(host)) ?? {};
    return Object.hasOwn(gone, model) || Object.hasOwn(refused[id] ?? {}, model);
  }

  /** Notes that a host answered that it does not have a model for an operation. */
  async refused(host: string, id: OperationId, model: string): Promise<void> {
    await this.#change(host, ({ refused = {}, ...facts }) => ({
      ...facts,
      refused: { ...refused, [id]: withDates(refused[id] ?? {}, [model]) },
    }));
  }

  /** Notes that a model made something. */
  async worked(host: string, id: OperationId, model: string): Promise<void> {
    await this.read();
    if (!this.has(host, id, model)) return;
    await this.#change(host, ({ gone, refused = {}, ...facts }) => ({
      ...facts,
      gone: without(gone, [model]),
      refused: { ...refused, [id]: without(refused[id] ?? {}, [model]) },
    }));
  }

  /** Notes what a host lists now. An empty list says nothing. */
  async listed(host: string, path: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#change(host, ({ lists, gone, refused = {} }) => {
      const now = new Set(names);
      const missing = (lists[path] ?? []).filter((name) => !now.has(name));
      const left = Object.entries(refused).map(([id, models]) => [id, without(models, names)] as const);
      return {
        lists: { ...lists, [path]: names },
        gone: withDates(without(gone, names), missing),
        refused: Object.fromEntries(left.filter(([, models]) => Object.keys(models).length > 0)),
      };
    });
  }

  async #change(host: string, change: (facts: HostFacts) => HostFacts): Promise<void> {
    await this.read();
    const before = this.#facts.get(keyOf(host)) ?? { lists: {}, gone: {} };
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    const facts = new Map(this.#facts).set(keyOf(host), after);
    this.#facts = facts;
    try {
      const { replaceText } = await import('../files/readText.ts');
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await replaceText(this.#file, JSON.stringify(Object.fromEntries(facts)), { mode: 0o600 });
    } catch {
      // This process still knows it.
    }
  }
}

function withDates(gone: HostFacts['gone'], names: readonly string[]): HostFacts['gone'] {
  const now = new Date().toISOString();
  return { ...Object.fromEntries(names.map((name) => [name, now])), ...gone };
}

function without(gone: HostFacts['gone'], names: readonly string[]): HostFacts['gone'] {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(gone).filter(([name]) => !left.has(name)));
}

function keyOf(host: string): string {
  return URL.parse(host)?.href ?? host;
}
