import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { LocalFolder } from '../files/LocalFolder.ts';
import { hashOf } from '../files/sha256.ts';
import { nameParts } from '../library/fileName.ts';
import { temporaryName } from '../library/saveMedia.ts';
import { extensionOf } from '../operations/operations.ts';
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

  /** The folder itself, for notes about files that are being placed. */
  get notes(): LocalFolder {
    return new LocalFolder(this.#folder, this.#root);
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
    // The times of a transcript are no variant of it.
    const isTimes = (one: Variant) =>
      one.name.endsWith('.vtt') && found.some((other) => other !== one && other.number === one.number);
    return found.filter((one) => !isTimes(one)).sort((a, b) => a.number - b.number);
  }

  /** Returns the times of a variant that is a transcript. */
  async timesOf(key: string, { name }: Variant): Promise<Uint8Array | undefined> {
    if (extensionOf(name) === 'vtt') return undefined;
    return this.folderOf(key).read(`${nameParts(name).name}.vtt`);
  }

  /** Keeps a file that is made from several results. @returns its absolute path */
  async keep(key: string, name: string, data: AsyncIterable<Uint8Array>): Promise<string> {
    const folder = this.folderOf(key);
    await folder.check();
    const created = await folder.create(temporaryName(randomUUID()), data);
    await folder.moveIfAbsent(created, name);
    return join(this.#folder, key, name);
  }

  /** Gives the results of a request to the asset that its own was renamed to, unless that has some. */
  async rename(from: string, to: string): Promise<void> {
    if ((await this.folderOf(from).list()).length === 0 || (await this.folderOf(to).list()).length > 0) return;
    await rename(join(this.#folder, from), join(this.#folder, to));
  }

  async remove(key: string): Promise<void> {
    const folder = this.folderOf(key);
    // Unlike `rm`, LocalFolder never removes files behind a link in place of the subfolder.
    for (const name of await folder.list()) await folder.remove(name);
    await rm(join(this.#folder, key), { recursive: true, force: true, maxRetries: 3 });
  }

  /**
   * Creates a `.gitignore` that keeps the folder out of the repository.
   *
   * @throws MediaError `save` if the folder, or one in it, is a link that leads out of the project
   */
  async prepare(): Promise<void> {
    const folder = this.notes;
    await folder.list();
    const found = await readdir(this.#folder, { withFileTypes: true }).catch(() => []);
    for (const one of found) if (one.isSymbolicLink()) await this.folderOf(one.name).list();
    if ((await folder.size('.gitignore')) !== undefined) return;
    await folder.append('.gitignore', '*\n');
  }
}
