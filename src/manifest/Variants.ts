import { rm } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { LocalFolder } from '../library/LocalFolder.ts';
import { hashOf } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
import { lockText, readLock } from './Lock.ts';
import { keyOf } from './Manifest.ts';

/** An original result of a request. */
export interface Variant {
  /** Starts at 1. */
  readonly number: number;
  /** File name in the folder of its request. */
  readonly name: string;
}

/** The `fileName` pattern of jobs that save here. */
export const variantName = 'variant';

/**
 * The folder of original results, with one subfolder per request of an asset. Results stay here until they are placed;
 * the variants that were not chosen are never removed. A result in here is never paid for again.
 */
export class Variants {
  readonly #folder: string;
  readonly #root: string;

  /** @param folder absolute path of the manifest's folder @param root absolute path of the project */
  constructor(folder: string, root: string) {
    this.#folder = join(folder, '.unified-media', 'variants');
    this.#root = root;
  }

  /** Absolute path. */
  get folder(): string {
    return this.#folder;
  }

  /** Returns the name of the subfolder for a request of an asset. */
  keyFor(path: string, request: string, sandbox: boolean): string {
    return hashOf([keyOf(path), request, sandbox]).slice(0, 32);
  }

  /** Returns the path of a subfolder relative to the project, with forward slashes. */
  pathOf(key: string): string {
    return relative(this.#root, join(this.#folder, key)).split(sep).join(posix.sep);
  }

  folderOf(key: string): LocalFolder {
    return new LocalFolder(join(this.#folder, key), this.#root);
  }

  fileOf(key: string, { name }: Variant): string {
    return join(this.#folder, key, name);
  }

  /** Returns the variants in the order of the service's answer. */
  async list(key: string): Promise<readonly Variant[]> {
    const names = await this.folderOf(key).list();
    const found = names.flatMap((name) => {
      const match = /^variant(?:-(\d+))?\.\w+$/.exec(name);
      return match ? [{ number: Number(match[1] ?? 1), name }] : [];
    });
    return found.sort((a, b) => a.number - b.number);
  }

  /** Records the lock line of a file before the file is placed, so that it can be locked after a crash in between. */
  async notePlacing(line: LockLine): Promise<void> {
    await this.placed(line.path);
    await this.#notes.append(noteFor(line.path), lockText(new Map([[line.path, line]])));
  }

  /** Removes the record of {@link notePlacing}, once the line is in the lock. */
  async placed(path: string): Promise<void> {
    await this.#notes.remove(noteFor(path));
  }

  /** Returns all lines recorded by {@link notePlacing}. */
  async placings(): Promise<readonly LockLine[]> {
    const names = await this.#notes.list();
    const texts = await Promise.all(names.map(async (name) => new TextDecoder().decode(await this.#notes.read(name))));
    // A record that a crash has cut off is ignored: its file was not placed.
    return texts.flatMap((text) => (isWholeLock(text) ? [...readLock(text).values()] : []));
  }

  get #notes(): LocalFolder {
    return new LocalFolder(join(this.#folder, 'placing'), this.#root);
  }

  /**
   * Records which journal knows a request before it is sent. The editor and the command line have separate journals.
   */
  async noteSending(key: string, journal: string): Promise<void> {
    await this.sent(key);
    await this.#sending.append(`${key}.txt`, `${hashOf(journal)}\n`);
  }

  /** Removes the record of {@link noteSending}, once the outcome is known. */
  async sent(key: string): Promise<void> {
    await this.#sending.remove(`${key}.txt`);
  }

  /** Whether a request was sent that only another journal knows. */
  async isSentByOther(key: string, journal: string): Promise<boolean> {
    const noted = await this.#sending.read(`${key}.txt`).catch(() => undefined);
    return noted !== undefined && new TextDecoder().decode(noted).trim() !== hashOf(journal);
  }

  get #sending(): LocalFolder {
    return new LocalFolder(join(this.#folder, 'sending'), this.#root);
  }

  async remove(key: string): Promise<void> {
    const folder = this.folderOf(key);
    // Unlike `rm`, LocalFolder never removes files behind a link in place of the subfolder.
    for (const name of await folder.list()) await folder.remove(name);
    await rm(join(this.#folder, key), { recursive: true, force: true });
  }

  /** Creates a `.gitignore` that keeps the folder out of the repository. */
  async prepare(): Promise<void> {
    const folder = new LocalFolder(this.#folder, this.#root);
    if ((await folder.size('.gitignore')) !== undefined) return;
    await folder.append('.gitignore', '*\n');
  }
}

function noteFor(path: string): string {
  return `${hashOf(keyOf(path)).slice(0, 32)}.jsonl`;
}

function isWholeLock(text: string): boolean {
  try {
    readLock(text);
    return text.endsWith('\n');
  } catch {
    return false;
  }
}
