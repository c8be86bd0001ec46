import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { hasCode } from '../files/FileCalls.ts';
import { parseJson } from '../operations/parseJson.ts';
import { journalFileName } from './Work.ts';

/** Milliseconds of reading after which the event loop gets a turn. */
const turnMs = 5;

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
   * Looks through the journals of works, one after the other. A journal that is missing is empty.
   *
   * @param matters whether a text may be that of a work that matters
   * @returns the keys of works that may matter, and of those whose journal cannot be read
   */
  async where(
    matters: (text: string, key: string) => boolean | Promise<boolean>,
    keys?: readonly string[],
  ): Promise<readonly string[]> {
    const found: string[] = [];
    let turn = performance.now();
    for (const one of keys ?? (await this.keys())) {
      const text = this.#textOf(one);
      if (text === undefined || (await matters(text, one))) found.push(one);
      if (performance.now() - turn < turnMs) continue;
      await immediate();
      turn = performance.now();
    }
    return found;
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
