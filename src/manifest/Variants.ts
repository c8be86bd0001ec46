import { rm } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { LocalFolder } from '../library/LocalFolder.ts';
import { hashOf } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
import { lockText, readLock } from './Lock.ts';
import { keyOf } from './Manifest.ts';

/** A result of a request, as the service made it. */
export interface Variant {
  /** From 1. */
  readonly number: number;
  /** In the folder of its request. */
  readonly name: string;
}

/** The pattern of file names of jobs that save here. */
export const variantName = 'variant';

/**
 * Where results wait until they get their place, and those that were not chosen stay: a folder for each request of an
 * asset. A result that is here is never paid for again, whatever happened since.
 */
export class Variants {
  readonly #folder: string;
  readonly #root: string;

  /** Both absolute: the folder of the manifest, and the project's. */
  constructor(folder: string, root: string) {
    this.#folder = join(folder, '.unified-media', 'variants');
    this.#root = root;
  }

  /** Absolute. */
  get folder(): string {
    return this.#folder;
  }

  /** Names the folder of a request of an asset. */
  keyFor(path: string, request: string, sandbox: boolean): string {
    return hashOf([keyOf(path), request, sandbox]).slice(0, 32);
  }

  /** As places name it: relative to the project, with forward slashes. */
  pathOf(key: string): string {
    return relative(this.#root, join(this.#folder, key)).split(sep).join(posix.sep);
  }

  folderOf(key: string): LocalFolder {
    return new LocalFolder(join(this.#folder, key), this.#root);
  }

  fileOf(key: string, { name }: Variant): string {
    return join(this.#folder, key, name);
  }

  /** In the order of the answer. */
  async list(key: string): Promise<readonly Variant[]> {
    const names = await this.folderOf(key).list();
    const found = names.flatMap((name) => {
      const match = /^variant(?:-(\d+))?\.\w+$/.exec(name);
      return match ? [{ number: Number(match[1] ?? 1), name }] : [];
    });
    return found.sort((a, b) => a.number - b.number);
  }

  /** Notes the line of a file that is about to get its place: after a crash in between it is locked by that. */
  async notePlacing(line: LockLine): Promise<void> {
    await this.placed(line.path);
    await this.#notes.append(noteFor(line.path), lockText(new Map([[line.path, line]])));
  }

  /** Forgets what was noted for a path. */
  async placed(path: string): Promise<void> {
    await this.#notes.remove(noteFor(path));
  }

  /** All that is noted. */
  async placings(): Promise<readonly LockLine[]> {
    const names = await this.#notes.list();
    const texts = await Promise.all(names.map(async (name) => new TextDecoder().decode(await this.#notes.read(name))));
    // A crash may have cut the note itself: then the file has not got its place.
    return texts.flatMap((text) => (isWholeLock(text) ? [...readLock(text).values()] : []));
  }

  get #notes(): LocalFolder {
    return new LocalFolder(join(this.#folder, 'placing'), this.#root);
  }

  /** Notes which journal knows a request that goes out: the editor's and the command line's know nothing of each other. */
  async noteSending(key: string, journal: string): Promise<void> {
    await this.sent(key);
    await this.#sending.append(`${key}.txt`, `${hashOf(journal)}\n`);
  }

  /** Forgets what was noted of a request whose outcome is known. */
  async sent(key: string): Promise<void> {
    await this.#sending.remove(`${key}.txt`);
  }

  /** Whether a request went out that only another journal knows of. */
  async isSentByOther(key: string, journal: string): Promise<boolean> {
    const noted = await this.#sending.read(`${key}.txt`).catch(() => undefined);
    return noted !== undefined && new TextDecoder().decode(noted).trim() !== hashOf(journal);
  }

  get #sending(): LocalFolder {
    return new LocalFolder(join(this.#folder, 'sending'), this.#root);
  }

  async remove(key: string): Promise<void> {
    const folder = this.folderOf(key);
    // A link in its place is not followed.
    for (const name of await folder.list()) await folder.remove(name);
    await rm(join(this.#folder, key), { recursive: true, force: true });
  }

  /** Keeps all of it out of the repository. */
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
