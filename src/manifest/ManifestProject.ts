import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { hasCode, retryWhileHeld } from '../library/FileCalls.ts';
import type { Library } from '../library/Library.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { readText } from '../library/readText.ts';
import { temporaryName } from '../library/saveMedia.ts';
import { hashOf } from '../library/sha256.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Store } from '../work/Store.ts';
import { canonicalRoot } from '../work/Store.ts';
import { wholeKey } from '../work/speech/speakInParts.ts';
import type { KnownHash } from './FileHashes.ts';
import { FileHashes } from './FileHashes.ts';
import type { Lock, LockLine } from './Lock.ts';
import { lockNameOf, lockText, readLock, readMergedLock } from './Lock.ts';
import type { Manifest } from './Manifest.ts';
import { keyOf } from './Manifest.ts';
import { readManifest, withoutProblems } from './readManifest.ts';
import { Variants } from './Variants.ts';

/** The name of a lock while it is written. Results that are being saved have other names. */
const partName = /^\..+\.lock\.jsonl\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;
/** In milliseconds. Writing a lock takes far less. */
const partMaxAge = 60 * 60 * 1000;

export interface ProjectOptions {
  /** Absolute path of the workspace folder or repository that the manifest belongs to. */
  readonly root: string;
  readonly library: Library;
  readonly store: Store;
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
  readonly store: Store;
  readonly hashes: FileHashes;
  readonly variants: Variants;
  /** Key of the work that a program holds while it works on the manifest. */
  readonly key: string;
  readonly #lock: Map<string, LockLine>;
  readonly #settled = new Map<string, LockLine>();
  #isSwept = false;

  private constructor(
    manifest: Manifest,
    lock: Lock,
    hashes: FileHashes,
    key: string,
    { root, library, store }: ProjectOptions,
  ) {
    this.manifest = manifest;
    this.root = root;
    this.library = library;
    this.store = store;
    this.hashes = hashes;
    this.key = key;
    this.variants = new Variants(manifest.folder, root);
    this.#lock = new Map(lock);
  }

  /**
   * @param file absolute path of the manifest
   * @throws MediaError `invalidInput` that lists what is wrong in the manifest or the lock, with the lines
   */
  static async open(file: string, options: ProjectOptions): Promise<ManifestProject> {
    const read = options.text === undefined ? readText(file) : Promise.resolve(options.text);
    const text = await read.catch((error: unknown) => {
      if (error instanceof MediaError) throw error;
      throw new MediaError('invalidInput', l10n.t('{0} could not be read ({1}).', file, reasonOf(error)));
    });
    const manifest = withoutProblems(readManifest(text, file), basename(file));
    const hashes = new FileHashes(manifest.folder, options.root, options.known);
    const name = lockNameOf(file);
    const written = await lockIn(join(manifest.folder, name));
    const lock = await readMergedLock(written, name, (path) => hashes.of(path).catch(() => undefined));
    const key = wholeKey('manifest', await canonicalRoot(pathToFileURL(file).href));
    return new ManifestProject(manifest, lock, hashes, key, options);
  }

  /** Absolute path of the lock. */
  get lockFile(): string {
    return join(this.manifest.folder, lockNameOf(this.manifest.file));
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

  /**
   * Records the lock line of a file before the file is placed, so that it can be locked after a crash in between. The
   * note lies beside the file, so it is found after the folder was renamed; it says nothing that the lock could not say.
   * The manifest must be held.
   */
  async notePlacing(line: LockLine): Promise<void> {
    const { notes } = this.variants;
    await notes.remove(this.#noteFor(line.path));
    await notes.append(this.#noteFor(line.path), lockText(new Map([[line.path, line]])));
  }

  /** Returns the hidden name of a file while it is placed: always the same, so that what a crash leaves is removed. */
  temporaryFor(path: string): string {
    return temporaryName(`asset-${this.#hashFor(path)}`);
  }

  /** Removes what a killed process has left of a file that it was placing. The manifest must be held. */
  async removeTemporary(path: string): Promise<void> {
    const folder = new LocalFolder(dirname(join(this.manifest.folder, path)), this.root);
    await folder.remove(this.temporaryFor(path));
  }

  /** Returns all lines recorded by {@link notePlacing}. */
  async placings(): Promise<readonly LockLine[]> {
    const { notes } = this.variants;
    const lines: LockLine[] = [];
    for (const name of (await notes.list()).filter((one) => one.startsWith(notePrefix))) {
      const text = String(Buffer.from((await notes.read(name)) ?? ''));
      // A record that a crash has cut off is ignored: its file was not placed.
      const noted = isWholeLock(text) ? [...readLock(text).values()] : [];
      // Another manifest in this folder has notes of its own.
      lines.push(...noted.filter(({ path }) => this.#noteFor(path) === name));
    }
    return lines;
  }

  #noteFor(path: string): string {
    return `${notePrefix}${this.#hashFor(path)}.jsonl`;
  }

  #hashFor(path: string): string {
    return hashOf([basename(this.manifest.file), keyOf(path)]).slice(0, 32);
  }

  /** Treats files as locked that an earlier run placed but could not lock before it ended. Nothing is written. */
  async settle(): Promise<void> {
    for (const line of await this.placings()) {
      const isThere = (await this.hashes.of(line.path).catch(() => undefined)) === line.output;
      if (isThere) this.#settled.set(keyOf(line.path), line);
    }
    for (const [key, line] of this.#settled) this.#lock.set(key, line);
  }

  /** Writes the lines that {@link settle} found to the lock. */
  async keepSettled(): Promise<void> {
    for (const line of this.#settled.values()) {
      await this.changeLock(line.path, line);
      await this.removeTemporary(line.path);
    }
    this.#settled.clear();
  }

  /** Returns why the lock cannot be changed, such as a merge conflict that others have left in it. */
  lockProblem(): Promise<string | undefined> {
    return this.#read().then(() => undefined, reasonOf);
  }

  /** Writes or removes a line of the lock. Lines that others have written in the meantime are kept. */
  async changeLock(path: string, line: LockLine | undefined): Promise<void> {
    const lock = new Map(await this.#read());
    for (const lines of [lock, this.#lock]) {
      if (line) lines.set(keyOf(path), line);
      else lines.delete(keyOf(path));
    }
    await this.#sweep();
    await writeAtomically(this.lockFile, lockText(lock));
    // Otherwise {@link settle} would later replace this line by the one of an interrupted run.
    await this.variants.notes.remove(this.#noteFor(path));
  }

  async #read(): Promise<Lock> {
    // The file of a changed line may already be another, so what was read before decides between merged lines.
    const outputAt = async (path: string) => this.#lock.get(keyOf(path))?.output;
    return readMergedLock(await lockIn(this.lockFile), basename(this.lockFile), outputAt);
  }

  /** Removes what a killed process left of a lock that it was writing. */
  async #sweep(): Promise<void> {
    if (this.#isSwept) return;
    this.#isSwept = true;
    const { folder } = this.manifest;
    for (const name of await readdir(folder)) {
      if (!partName.test(name)) continue;
      const file = join(folder, name);
      const stats = await lstat(file).catch(() => undefined);
      if (stats?.isFile() && Date.now() - stats.mtimeMs > partMaxAge) await rm(file, { force: true });
    }
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

async function lockIn(file: string): Promise<string> {
  try {
    // Writing replaces the file, which would destroy a link, and a link may lead anywhere.
    if ((await lstat(file)).isFile()) return await readText(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
  throw new MediaError('invalidInput', l10n.t('{0} is not a file, so it is not used.', basename(file)));
}

/** Replaces a file atomically: a crash leaves either the old or the new content. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
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

const notePrefix = 'placing-';

function isWholeLock(text: string): boolean {
  try {
    readLock(text);
    return text.endsWith('\n');
  } catch {
    return false;
  }
}
