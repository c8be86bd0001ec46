import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { hasCode, retryWhileHeld } from '../library/FileCalls.ts';
import type { Library } from '../library/Library.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { KnownHash } from './FileHashes.ts';
import { FileHashes } from './FileHashes.ts';
import type { Lock, LockLine } from './Lock.ts';
import { lockName, lockText, readLock } from './Lock.ts';
import type { Manifest } from './Manifest.ts';
import { keyOf } from './Manifest.ts';
import { readManifest, withoutProblems } from './readManifest.ts';
import { Variants } from './Variants.ts';

export interface ProjectOptions {
  /** Absolute path of the workspace folder or repository that the manifest belongs to. */
  readonly root: string;
  readonly library: Library;
  /** Cached hashes of unchanged files. */
  readonly known?: Map<string, KnownHash>;
  /** The manifest's text in the editor; read from the file if absent. */
  readonly text?: string;
}

/** A manifest with its lock, and the files around it. */
export class ManifestProject {
  readonly manifest: Manifest;
  readonly root: string;
  readonly library: Library;
  readonly hashes: FileHashes;
  readonly variants: Variants;
  readonly #lock: Map<string, LockLine>;
  readonly #settled = new Map<string, LockLine>();

  private constructor(manifest: Manifest, lock: Lock, { root, library, known }: ProjectOptions) {
    this.manifest = manifest;
    this.root = root;
    this.library = library;
    this.hashes = new FileHashes(manifest.folder, root, known);
    this.variants = new Variants(manifest.folder, root);
    this.#lock = new Map(lock);
  }

  /**
   * @param file absolute path of the manifest
   * @throws MediaError `invalidInput` that lists what is wrong in the manifest or the lock, with the lines
   */
  static async open(file: string, options: ProjectOptions): Promise<ManifestProject> {
    const read = options.text === undefined ? readFile(file, 'utf8') : Promise.resolve(options.text);
    const text = await read.catch((error: unknown) => {
      throw new MediaError('invalidInput', l10n.t('{0} could not be read ({1}).', file, reasonOf(error)));
    });
    const manifest = withoutProblems(readManifest(text, file), basename(file));
    return new ManifestProject(manifest, readLock(await lockIn(manifest.folder)), options);
  }

  /** The current lock, including the changes of {@link changeLock}. */
  get lock(): Lock {
    return this.#lock;
  }

  get rootUri(): string {
    return pathToFileURL(this.root).href;
  }

  /** Returns a path of the manifest relative to the root, as the library records it. */
  recorded(path: string): string {
    return relative(this.root, join(this.manifest.folder, path)).split(sep).join(posix.sep);
  }

  /** Treats files as locked that an earlier run placed but could not lock before it ended. Nothing is written. */
  async settle(): Promise<void> {
    for (const line of await this.variants.placings()) {
      const isThere = (await this.hashes.of(line.path).catch(() => undefined)) === line.output;
      if (isThere) this.#settled.set(keyOf(line.path), line);
    }
    for (const [key, line] of this.#settled) this.#lock.set(key, line);
  }

  /** Writes the lines that {@link settle} found to the lock. */
  async keepSettled(): Promise<void> {
    for (const line of this.#settled.values()) {
      await this.changeLock(line.path, line);
    }
    this.#settled.clear();
  }

  /** Writes or removes a line of the lock. Lines that others have written in the meantime are kept. */
  async changeLock(path: string, line: LockLine | undefined): Promise<void> {
    const lock = new Map(readLock(await lockIn(this.manifest.folder)));
    for (const lines of [lock, this.#lock]) {
      if (line) lines.set(keyOf(path), line);
      else lines.delete(keyOf(path));
    }
    await writeAtomically(join(this.manifest.folder, lockName), lockText(lock));
    // Otherwise {@link settle} would later replace this line by the one of an interrupted run.
    await this.variants.placed(path);
  }
}

/** Returns the root of the repository that holds a manifest, or the manifest's folder if there is none. */
export function rootOf(manifest: string): string {
  const own = dirname(manifest);
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return own;
  }
}

async function lockIn(folder: string): Promise<string> {
  const file = join(folder, lockName);
  try {
    // Writing replaces the file, which would destroy a link, and a link may lead anywhere.
    if ((await lstat(file)).isFile()) return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
  throw new MediaError('invalidInput', l10n.t('{0} is not a file, so it is not used.', lockName));
}

/** Replaces a file atomically: a crash leaves either the old or the new content. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${randomUUID()}.part`);
  try {
    {
      await using handle = await open(temporary, 'wx');
      await handle.writeFile(text);
      await handle.sync();
    }
    await retryWhileHeld(() => rename(temporary, file), { sleep });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new MediaError('save', l10n.t('{0} could not be written ({1}).', file, reasonOf(error)), { cause: error });
  }
}
