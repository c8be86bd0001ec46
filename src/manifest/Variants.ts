import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { syncFolder } from '../files/FileCalls.ts';
import { sharedGitFolder } from '../files/gitFolder.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { hashOf } from '../files/sha256.ts';
import { nameParts } from '../library/fileName.ts';
import { temporaryName } from '../library/saveMedia.ts';
import { reasonOf } from '../operations/MediaError.ts';
import { extensionOf } from '../operations/operations.ts';
import { hashIn } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
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

interface HashedFile {
  readonly name: string;
  readonly sha256: string;
}

/** A subfolder in the git folder. */
interface SharedFolder {
  readonly git: string;
  readonly path: string;
}

/** Files of a subfolder that the git folder has under their {@link idOf}, so that a damaged or incomplete set is seen. */
interface SharedSet {
  readonly id: string;
  readonly path: string;
  readonly folder: LocalFolder;
}

interface WholeSet extends SharedSet {
  readonly files: readonly HashedFile[];
}

/**
 * The folder of original results, with one subfolder per request of an asset. Results stay here until they are placed;
 * the variants that were not chosen are never removed. A result in here is never paid for again.
 *
 * What stays here is also kept in the git folder, which outlives a work tree and `git clean`. There, a subfolder has one
 * folder for each set of files: two work trees may have paid for the same request, and got other results.
 */
export class Variants {
  readonly #folder: string;
  readonly #root: string;
  readonly #manifestFolder: string;
  #git: Promise<string | undefined> | undefined;
  #hasSharedSeveral = false;
  #problem: string | undefined;

  /** @param folder absolute path of the manifest's folder @param root absolute path of the project */
  constructor(folder: string, root: string) {
    this.#folder = join(folder, '.unified-media', 'variants');
    this.#root = root;
    this.#manifestFolder = folder;
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
    await save(this.folderOf(key), name, data);
    return join(this.#folder, key, name);
  }

  /** Gives the results of a request to the asset that its own was renamed to, unless that has some. */
  async rename(from: string, to: string): Promise<void> {
    if ((await this.folderOf(from).list()).length === 0 || (await this.folderOf(to).list()).length > 0) return;
    await rename(join(this.#folder, from), join(this.#folder, to));
  }

  /** Removes a subfolder, and the same files in the git folder, but nothing that another work tree was given. */
  async remove(key: string): Promise<void> {
    const folder = this.folderOf(key);
    const sets = await this.sharedSets(key);
    const id = sets.length > 0 ? idOf(await filesIn(folder)) : undefined;
    // Unlike `rm`, LocalFolder never removes files behind a link in place of the subfolder.
    for (const name of await folder.list()) await folder.remove(name);
    await rm(join(this.#folder, key), { recursive: true, force: true, maxRetries: 3 });
    const same = sets.find((set) => set.id === id);
    if (!same) return;
    for (const name of await same.folder.list()) await same.folder.remove(name);
    await rmdir(same.path);
  }

  /**
   * Keeps what stays in a subfolder in the git folder, too. What goes wrong is only told, by {@link fate}.
   *
   * @param prefix of the names of the files to keep, which belong together; default: all
   */
  async share(key: string, prefix = ''): Promise<void> {
    try {
      const shared = await this.#sharedFolder(key);
      if (!shared) return;
      const own = this.folderOf(key);
      const files = await filesIn(own, prefix);
      const { path, folder } = setIn(shared, idOf(files));
      const there = await folder.list();
      const missing = files.filter(({ name }) => !there.includes(name));
      if (missing.length > 0) await folder.check();
      for (const { name } of missing) {
        // Some disks have no hard links, and another process may have been faster.
        await link(join(this.#folder, key, name), join(path, name)).catch(() => save(folder, name, own.stream(name)));
      }
      if (missing.length > 0) await syncFolder(path);
      if (prefix === '' && (await this.list(key)).length > 1) this.#hasSharedSeveral = true;
    } catch (error) {
      this.#problem = reasonOf(error);
    }
  }

  /** Returns what a person should know of what {@link share} kept; undefined if nothing. */
  fate(): string | undefined {
    if (this.#problem !== undefined) {
      return l10n.t(
        'What is kept in .unified-media/variants could not be kept in the git folder as well ({0}). It is lost with this folder.',
        this.#problem,
      );
    }
    if (!this.#hasSharedSeveral) return undefined;
    return l10n.t(
      'The variants that you did not choose stay on this computer (in the git folder): a clone does not have them.',
    );
  }

  /** Whether {@link takeBack} would find files. */
  async canTakeBack(key: string, line: LockLine | undefined): Promise<boolean> {
    return (await this.#keptFor(key, line)) !== undefined;
  }

  /**
   * Copies the files that a subfolder lacks from the git folder. They are those of which one was placed as the lock says,
   * else the newest. Where the subfolder has other files than they, it stays as it is.
   *
   * @param line of the lock; nothing is taken back if it does not name the request
   */
  async takeBack(key: string, line: LockLine | undefined): Promise<void> {
    const kept = await this.#keptFor(key, line);
    if (!kept) return;
    await this.prepare();
    const own = this.folderOf(key);
    for (const { name } of kept.files)
      if ((await own.size(name)) === undefined) await save(own, name, kept.folder.stream(name));
  }

  async #keptFor(key: string, line: LockLine | undefined): Promise<WholeSet | undefined> {
    if (line?.request === undefined || line.sandbox) return undefined;
    if (this.keyFor(line.path, line.request, false) !== key) return undefined;
    const own = this.folderOf(key);
    const names = await own.list();
    let newest: WholeSet | undefined;
    for (const set of await this.sharedSets(key)) {
      if ((await set.folder.list()).every((name) => names.includes(name))) continue;
      const files = await filesIn(set.folder);
      if (idOf(files) !== set.id || !isPart(await filesIn(own), files)) continue;
      if (files.some(({ sha256 }) => sha256 === line.output)) return { ...set, files };
      newest ??= { ...set, files };
    }
    return newest;
  }

  /** Returns what the git folder has of a subfolder, newest first; nothing if a link leads out of it. */
  async sharedSets(key: string): Promise<readonly SharedSet[]> {
    const shared = await this.#sharedFolder(key);
    if (!shared) return [];
    try {
      await new LocalFolder(shared.path, shared.git).list();
      const found = await readdir(shared.path, { withFileTypes: true });
      const ids = found.filter((one) => one.isDirectory() && /^[0-9a-f]{32}$/.test(one.name)).map(({ name }) => name);
      const sets = await Promise.all(
        ids.map(async (id) => ({ ...setIn(shared, id), madeAt: (await stat(join(shared.path, id))).mtimeMs })),
      );
      return sets.sort((a, b) => b.madeAt - a.madeAt);
    } catch {
      return [];
    }
  }

  async #sharedFolder(key: string): Promise<SharedFolder | undefined> {
    this.#git ??= sharedGitFolder(this.#manifestFolder);
    const git = await this.#git;
    return git === undefined ? undefined : { git, path: join(git, 'unified-media', 'variants', key) };
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

function setIn({ git, path: parent }: SharedFolder, id: string): SharedSet {
  const path = join(parent, id);
  return { id, path, folder: new LocalFolder(path, git) };
}

/** Returns the files of a folder, without those that are still being written. */
async function filesIn(folder: LocalFolder, prefix = ''): Promise<readonly HashedFile[]> {
  const names = (await folder.list()).filter((name) => !name.startsWith('.') && name.startsWith(prefix));
  return Promise.all(names.sort().map(async (name) => ({ name, sha256: await hashIn(folder, name) })));
}

function idOf(files: readonly HashedFile[]): string {
  return hashOf(files.map(({ name, sha256 }) => [name, sha256])).slice(0, 32);
}

function isPart(some: readonly HashedFile[], all: readonly HashedFile[]): boolean {
  return some.every(({ name, sha256 }) => all.some((other) => other.name === name && other.sha256 === sha256));
}

/** Saves a file unless its name is taken. */
async function save(folder: LocalFolder, name: string, data: AsyncIterable<Uint8Array>): Promise<void> {
  await folder.check();
  const created = await folder.create(temporaryName(randomUUID()), data);
  if (!(await folder.moveIfAbsent(created, name))) await folder.remove(created.name);
}
