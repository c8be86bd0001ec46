import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { anything, list, objectWith, record, type Shaped, text } from '../foreign/shape.ts';
import { parseJson } from '../operations/parseJson.ts';

/** What is known of a host's models. */
const isFacts = objectWith({
  /** The names of its last lists, by the path of the list. */
  lists: record(list(text(), Number.POSITIVE_INFINITY)),
  /** When it was noticed that it no longer has a model, ISO 8601 in UTC, by name. */
  gone: record(text()),
});
type HostFacts = Shaped<typeof isFacts>;
const isHosts = record(anything);

/**
 * The models that a host no longer has: it answered 404 or 410 about them, or its list had them once and has them no
 * longer. Editor and command line share the file, so that `check` knows of them. A failure to read or write it is ignored:
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

  /** Whether a host no longer has a model, as of the last {@link read}. */
  has(host: string, model: string): boolean {
    return Object.hasOwn(this.#facts.get(keyOf(host))?.gone ?? {}, model);
  }

  /** Notes that a host answered that it does not have a model. */
  async refused(host: string, model: string): Promise<void> {
    await this.#change(host, (facts) => ({ ...facts, gone: withDates(facts.gone, [model]) }));
  }

  /** Notes that a model made something. */
  async worked(host: string, model: string): Promise<void> {
    await this.read();
    if (!this.has(host, model)) return;
    await this.#change(host, (facts) => ({ ...facts, gone: without(facts.gone, [model]) }));
  }

  /** Notes what a host lists now. An empty list says nothing. */
  async listed(host: string, path: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#change(host, ({ lists, gone }) => {
      const now = new Set(names);
      const missing = (lists[path] ?? []).filter((name) => !now.has(name));
      return { lists: { ...lists, [path]: names }, gone: withDates(without(gone, names), missing) };
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
