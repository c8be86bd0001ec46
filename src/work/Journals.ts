import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { hasCode } from '../files/FileCalls.ts';
import { parseJson } from '../operations/parseJson.ts';
import { journalFileName } from './Work.ts';

/** Milliseconds of reading after which the event loop gets a turn. */
const turnMs = 5;

/** Bytes at the start of a journal in which a part names its whole; the text of the whole comes after them. */
const headBytes = 4096;
/** Bytes that hold the name of the field and the keys of a whole and of its note. */
const maxNameBytes = 512;
const wholeField = '"whole":{';

/** A hash, or the id of a job; with a suffix for an answer that is kept beside the work of its request. */
const key = /^[0-9a-f-]{32,64}(\.[0-9a-f-]{36})?$/;

/** Whether a name is the key of a work. */
export function isKey(name: string): boolean {
  return key.test(name);
}

/**
 * The journals of all works in a store. Most are of other projects, so their texts are only looked through for what
 * matters; a work that may matter is then read as a whole. A quote inside a string is escaped in JSON, so text such as
 * `"whole":{` can only be a field.
 */
export class Journals {
  readonly #folder: string;
  readonly #head = Buffer.allocUnsafeSlow(headBytes);

  /** @param folder absolute path of the store */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the names of all folders and files in the store. */
  async names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  /** Returns the keys of all works. */
  async keys(): Promise<readonly string[]> {
    return (await this.names()).filter(isKey);
  }

  /**
   * Looks through the journals of all works. A journal that is missing is empty.
   *
   * @param matters whether a text may be that of a work that matters
   * @returns the keys of works that may matter, and of those whose journal cannot be read
   */
  async where(matters: (text: string, key: string) => boolean | Promise<boolean>): Promise<readonly string[]> {
    const found: string[] = [];
    let began = performance.now();
    for (const one of await this.keys()) {
      const text = this.#textOf(one);
      if (text === undefined || (await matters(text, one))) found.push(one);
      began = await nextTurn(began);
    }
    return found;
  }

  /** Returns the keys of the works that may be parts of a whole, by the keys of wholes without what follows a dot. */
  async partsAmong(keys: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const parts = new Map<string, string[]>();
    let began = performance.now();
    for (const one of keys) {
      for (const whole of new Set(this.#wholesOf(one).map(wholeOf))) {
        const known = parts.get(whole);
        if (known) known.push(one);
        else parts.set(whole, [one]);
      }
      began = await nextTurn(began);
    }
    return parts;
  }

  #wholesOf(one: string): readonly string[] {
    const head = this.#headOf(one);
    const at = head.indexOf(wholeField);
    if (head.length < headBytes && at === -1) return [];
    const request = head.indexOf('"request":{');
    const start = at === -1 ? '' : head.toString('latin1', at, at + maxNameBytes);
    const [, key, note] = /^"whole":\{"key":"([^"\\]+)"(?:,"note":"([^"\\]+)")?/.exec(start) ?? [];
    // Only a request may hold other fields of any name, so a whole that comes before it is that of the work.
    if (key !== undefined && (request === -1 || at < request)) return note === undefined ? [key] : [key, note];
    return namedIn(this.#textOf(one) ?? '');
  }

  /** Returns the start of a journal; nothing of one that is missing or cannot be read. */
  #headOf(one: string): Buffer {
    try {
      const handle = openSync(`${this.#folder}/${one}/${journalFileName}`, 'r');
      try {
        return this.#head.subarray(0, readSync(handle, this.#head));
      } finally {
        closeSync(handle);
      }
    } catch {
      return this.#head.subarray(0, 0);
    }
  }

  /** Calls that wait for a thread take four times as long for thousands of small files. */
  #textOf(one: string): string | undefined {
    try {
      return readFileSync(join(this.#folder, one, journalFileName), 'utf8');
    } catch (error) {
      return hasCode(error, 'ENOENT', 'ENOTDIR') ? '' : undefined;
    }
  }
}

/** Lets other work go on while thousands of journals are read. @returns when this turn began */
export async function nextTurn(began: number): Promise<number> {
  if (performance.now() - began <= turnMs) return began;
  await immediate();
  return performance.now();
}

/** Returns what may be the keys of the whole of a part, and of its note, in the text of its journal. */
function namedIn(text: string): readonly string[] {
  return mayBePart(text) ? [...valuesOf(text, 'key'), ...valuesOf(text, 'note')] : [];
}

/** Whether the text of a journal may be that of a part. */
export function mayBePart(text: string): boolean {
  return text.includes(wholeField);
}

/** Returns the key of a whole without what its content adds to it. */
export function wholeOf(key: string): string {
  return key.split('.', 1)[0] ?? key;
}

const fields = {
  key: /"key":("(?:[^"\\]|\\.)*")/g,
  note: /"note":("(?:[^"\\]|\\.)*")/g,
  root: /"root":("(?:[^"\\]|\\.)*")/g,
} as const;

/** Returns the texts of all fields with a name in the text of a journal, also those of a request. */
export function valuesOf(text: string, name: 'key' | 'note' | 'root'): ReadonlySet<string> {
  const written = text.matchAll(fields[name]);
  return new Set([...written].flatMap(([, value = '']) => parseJson<string>(value) ?? []));
}
