import { createHash, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import pLimit from 'p-limit';
import { canonicalRoot } from '../files/canonicalRoot.ts';
import { hasCode, realPath } from '../files/FileCalls.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { pointedHash } from '../files/lfsPointer.ts';
import { replaceText, unreadable } from '../files/readText.ts';
import { hashOf } from '../files/sha256.ts';
import { nameParts } from '../library/fileName.ts';
import type { Library } from '../library/Library.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import { digitalSourcesIn } from '../library/recordedMarks.ts';
import { temporaryName } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { extensionOf, outputExtensions } from '../operations/operations.ts';
import { recordingMinutes } from '../sound/readRecording.ts';
import { checkManifest } from '../work/deliver.ts';
import type { Store } from '../work/Store.ts';
import { wholeKey } from '../work/speakInParts.ts';
import { type Lock, type LockLine, lockNameOf, lockText, readDeclared, readLock, readMergedLock } from './Lock.ts';
import { type Entry, inputsOf, keyOf, type Manifest, reservedFolders } from './Manifest.ts';
import { type ReadManifest, readManifest, withoutProblems } from './readManifest.ts';

/** The name of a lock while it is written. Results that are being saved have other names. */
const partName = /^\..+\.lock\.jsonl\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

export interface ProjectOptions {
  /** Absolute path of the workspace folder or repository that the manifest belongs to. */
  readonly root: string;
  readonly library: Library;
  readonly store: Store;
  /** Cached hashes of unchanged files. */
  readonly known?: Map<string, KnownHash>;
  /** The setting `fields`, to which the manifest's `accepts` is added. */
  readonly declared?: unknown;
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
  /** The text of the file, which may not be that in the editor. */
  readonly #saved: string;
  readonly #declared: unknown;
  /** Returns what a result in the library is. The library is read once for all. */
  readonly digitalSourceOf: ReturnType<typeof digitalSourcesIn>;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #lock: Map<string, LockLine>;
  #records: Promise<ReadonlyMap<string | undefined, readonly LibraryEntry[]>> | undefined;
  readonly #settled = new Map<string, LockLine>();

  private constructor(
    manifest: Manifest,
    lock: Lock,
    hashes: FileHashes,
    key: string,
    { root, library, store, declared, saved }: ProjectOptions & { readonly saved: string },
  ) {
    this.manifest = manifest;
    this.#saved = saved;
    this.#declared = declared;
    this.root = root;
    this.library = library;
    this.store = store;
    this.hashes = hashes;
    this.key = key;
    this.variants = new Variants(manifest.folder, root);
    this.digitalSourceOf = digitalSourcesIn(library);
    this.#entries = new Map(manifest.entries.map((entry) => [keyOf(entry.path), entry]));
    this.#lock = new Map(lock);
  }

  /**
   * @param file absolute path of the manifest
   * @throws MediaError `invalidInput` that lists what is wrong in the manifest or the lock, with the lines
   */
  static async open(file: string, options: ProjectOptions): Promise<ManifestProject> {
    const saved = await readDeclared(file).catch((error: unknown) => {
      if (options.text === undefined) throw unreadable(file, error);
      return '';
    });
    const { text = saved } = options;
    const manifest = withoutProblems(readManifest(text, file, options.declared), basename(file));
    const hashes = new FileHashes(manifest.folder, options.root, options.known);
    const name = lockNameOf(file);
    const written = await lockIn(join(manifest.folder, name));
    const lock = await readMergedLock(written, name, (path) => hashes.of(path).catch(() => undefined));
    const key = wholeKey('manifest', await canonicalRoot(pathToFileURL(file).href));
    return new ManifestProject(manifest, lock, hashes, key, { ...options, saved });
  }

  /** Returns the key of a spoken document. Unlike the project's root, it does not depend on a repository above. */
  narrationKey(path: string): string {
    return wholeKey('asset', this.key, path);
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

  /** Returns the entry with a path of the manifest. */
  readonly entryAt = (path: string): Entry | undefined => this.#entries.get(keyOf(path));

  /**
   * Returns the library's records of a file that the manifest names, oldest first. The library is read once for all of
   * them, so records that are added later are not among them.
   */
  async recordsOf(path: string): Promise<readonly LibraryEntry[]> {
    this.#records ??= this.#readRecords();
    return (await this.#records).get(this.recorded(path)) ?? [];
  }

  async #readRecords(): Promise<ReadonlyMap<string | undefined, readonly LibraryEntry[]>> {
    const paths = this.manifest.entries.flatMap((entry) => [entry.path, ...inputsOf(entry)]);
    const records = new Map<string | undefined, LibraryEntry[]>();
    for (const record of await this.library.entriesAt(paths.map((path) => this.recorded(path)))) {
      const same = records.get(record.file);
      if (same) same.push(record);
      else records.set(record.file, [record]);
    }
    return records;
  }

  /**
   * Records the lock line of a file before the file is placed, so that it can be locked after a crash in between. The
   * note is kept in the folder of the manifest, so it is still found when that was renamed. It holds nothing but what
   * the lock may hold. The manifest must be held.
   */
  async notePlacing(line: LockLine): Promise<void> {
    const { notes } = this.variants;
    await notes.remove(this.#noteFor(line.path));
    await notes.append(this.#noteFor(line.path), lockText(new Map([[line.path, line]])));
  }

  /** Returns the hidden name of a file while it is placed. It is always the same, so that leftovers can be removed. */
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

  /** Writes the lines that {@link settle} found to the lock. The manifest must be held. */
  async keepSettled(): Promise<void> {
    await new LocalFolder(this.manifest.folder, this.root).sweep(partName);
    for (const line of this.#settled.values()) {
      await this.changeLock(line.path, line);
      await this.removeTemporary(line.path);
    }
    this.#settled.clear();
  }

  /** Checks that the manifest was neither moved nor removed since it was opened. @throws MediaError `save` */
  checkThere(): void {
    checkManifest({ root: this.rootUri, manifest: this.recorded(basename(this.manifest.file)) });
  }

  /** Whether the file of an entry is there as the lock on disk says that this request has made it. */
  async hasMade(path: string, request: string, sandbox: boolean): Promise<boolean> {
    const line = (await this.#read()).get(keyOf(path));
    if (!line || line.request !== request || (line.sandbox === true && !sandbox)) return false;
    this.hashes.changed(path);
    if ((await this.hashes.of(path)) !== line.output) return false;
    this.#lock.set(keyOf(path), line);
    return true;
  }

  /**
   * Reads the manifest again.
   *
   * @returns undefined if its file is as it was when it was opened
   * @throws MediaError if it is no longer there, or cannot be read
   */
  async readChanged(): Promise<ReadManifest | undefined> {
    const { file } = this.manifest;
    this.checkThere();
    const text = await readDeclared(file).catch((error: unknown) => {
      throw unreadable(file, error);
    });
    return text === this.#saved ? undefined : readManifest(text, file, this.#declared);
  }

  /** Returns why the lock cannot be changed: a merge conflict that others have left in it, or a read-only folder. */
  async lockProblem(): Promise<string | undefined> {
    try {
      await this.#read();
      await new LocalFolder(this.manifest.folder, this.root).check();
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /**
   * Writes or removes a line of the lock. Lines that others have written in the meantime are kept.
   *
   * @throws MediaError `save` with the field `lock` if it cannot be written
   */
  async changeLock(path: string, line: LockLine | undefined): Promise<void> {
    const lock = new Map(await this.#read());
    for (const lines of [lock, this.#lock]) {
      if (line) lines.set(keyOf(path), line);
      else lines.delete(keyOf(path));
    }
    await replaceText(this.lockFile, lockText(lock)).catch((error: unknown) => {
      const sentence = l10n.t('{0} could not be written ({1}).', this.lockFile, reasonOf(error));
      throw new MediaError('save', sentence, { field: 'lock', cause: error });
    });
    // Otherwise {@link settle} would later replace this line by the one of an interrupted run.
    await this.variants.notes.remove(this.#noteFor(path));
  }

  async #read(): Promise<Lock> {
    this.checkThere();
    // The file may already have been replaced, so the lock as last read decides between merged lines.
    const outputAt = async (path: string) => this.#lock.get(keyOf(path))?.output;
    return readMergedLock(await lockIn(this.lockFile), basename(this.lockFile), outputAt);
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
    return await readDeclared(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
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

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const chunkBytes = 2 ** 20;
/** How many files are hashed concurrently, each with one buffer. */
const maxReaders = 4;
/**
 * In milliseconds. A file changed more recently may change again within the same timestamp, so its hash is not cached.
 */
const minAgeToCache = 2000;

/** The cached hash of a file, valid while its stamp is the same. */
export interface KnownHash {
  /** Size, times and inode number of the file. */
  readonly stamp: string;
  readonly sha256: string;
  /** What a recording counts as; undefined as long as nobody asked. */
  readonly minutes?: number;
}

/**
 * Hashes the files of a folder. A Git LFS pointer counts as the content that it stands for, and a text as if its lines
 * ended as on Linux, since git may change that. Files outside of the root are never read, not even through a link.
 */
export class FileHashes {
  readonly #folder: string;
  readonly #root: string;
  readonly #known: Map<string, KnownHash> | undefined;
  readonly #folders = new Map<string, Promise<string | undefined>>();
  readonly #results = new Map<string, Promise<string | undefined>>();
  readonly #minutes = new Map<string, Promise<number>>();
  readonly #inTurn = pLimit(maxReaders);
  readonly #buffers: Buffer[] = [];

  /**
   * @param folder absolute path; all paths are relative to it
   * @param root the folder itself or a parent of it; links must stay inside
   * @param known cached hashes of unchanged files; undefined to read every file
   */
  constructor(folder: string, root: string, known?: Map<string, KnownHash>) {
    this.#folder = folder;
    this.#root = root;
    this.#known = known;
  }

  /**
   * Returns the SHA-256 of a file in hex; undefined if it does not exist.
   *
   * @throws MediaError `invalidInput` for a path that leads out of the root, a link, or anything but a regular file
   */
  of(path: string): Promise<string | undefined> {
    const result = this.#results.get(path) ?? this.#hash(path);
    this.#results.set(path, result);
    return result;
  }

  /** Returns the minutes that a recording counts as. Throws like {@link of}, and if the file does not exist. */
  minutesOf(path: string): Promise<number> {
    const result = this.#minutes.get(path) ?? this.#measure(path);
    this.#minutes.set(path, result);
    return result;
  }

  /** Forgets the hash of a file that was written. */
  changed(path: string): void {
    this.#results.delete(path);
    this.#minutes.delete(path);
    this.#folders.clear();
  }

  /**
   * Resolves the links in the path of a file.
   *
   * @returns undefined if its folder does not exist yet
   * @throws MediaError as {@link of}
   */
  async locate(path: string): Promise<string | undefined> {
    const folder = await this.#realFolder(dirname(join(this.#folder, path)));
    return folder === undefined ? undefined : join(folder, path.slice(path.lastIndexOf('/') + 1));
  }

  async #hash(path: string): Promise<string | undefined> {
    const file = await this.locate(path);
    if (file === undefined) return undefined;
    try {
      const stats = await lstat(file, { bigint: true });
      if (stats.isSymbolicLink()) throw unsafe(l10n.t('{0} is a link to another file, so it is not used.', path));
      if (!stats.isFile()) throw unsafe(l10n.t('{0} is not a file, so it is not used.', path));
      const stamp = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].map((part) => part.toString(36)).join(' ');
      const known = this.#known?.get(file);
      if (known?.stamp === stamp) return known.sha256;
      const sha256 = await this.#inTurn(() => this.#hashFile(file));
      const age = Date.now() - Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs));
      if (age > minAgeToCache) this.#known?.set(file, { stamp, sha256 });
      return sha256;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  async #measure(path: string): Promise<number> {
    const sha256 = await this.of(path);
    const file = (await this.locate(path)) ?? join(this.#folder, path);
    const known = this.#known?.get(file);
    if (known?.minutes !== undefined && known.sha256 === sha256) return known.minutes;
    const minutes = await this.#inTurn(() => recordingMinutes(file));
    if (known && known.sha256 === sha256) this.#known?.set(file, { ...known, minutes });
    return minutes;
  }

  #realFolder(folder: string): Promise<string | undefined> {
    const found = this.#folders.get(folder) ?? this.#findFolder(folder);
    this.#folders.set(folder, found);
    return found;
  }

  async #findFolder(folder: string): Promise<string | undefined> {
    try {
      const [real, root] = await Promise.all([realPath(folder), realPath(this.#root)]);
      const inside = relative(root, real);
      const names = inside.split(sep);
      // A link must not lead into a reserved folder either.
      if (names[0] !== '..' && join(root, inside) === real && !names.some((name) => reservedFolders.test(name)))
        return real;
      const shown = relative(this.#folder, folder);
      throw unsafe(l10n.t('{0} is a link that leads out of the project, so it is not used.', shown));
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
      // A missing folder is created below its nearest existing parent, so that one must be inside the root.
      if (dirname(folder) !== folder) await this.#realFolder(dirname(folder));
      return undefined;
    }
  }

  /** Hashes a file with a buffer that no other reader uses. */
  async #hashFile(file: string): Promise<string> {
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
    try {
      return await hashFile(file, buffer);
    } finally {
      this.#buffers.push(buffer);
    }
  }
}

async function hashFile(file: string, buffer: Buffer): Promise<string> {
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const first = await fill(handle, buffer, 0);
  const oid = pointedHash(buffer.subarray(0, first));
  if (oid !== undefined) return oid;
  const digest = new ContentHash(file);
  for (let position = 0, length = first; length > 0; length = await fill(handle, buffer, position)) {
    digest.update(buffer.subarray(0, length));
    position += length;
    if (length < buffer.length) break;
  }
  return digest.hex();
}

/** Whether a path is that of a text, in which git may change the ends of lines. */
export function isText(path: string): boolean {
  return outputExtensions.transcripts.includes(extensionOf(path));
}

/** Hashes the content of an output as the lock does. */
export class ContentHash {
  readonly #digest = createHash('sha256');
  readonly #isText: boolean;
  /** The end of a chunk that may be half of a line break. */
  #held = '';

  /** @param path ends in the extension that says whether it is a text */
  constructor(path: string) {
    this.#isText = isText(path);
  }

  update(chunk: Buffer): void {
    if (!this.#isText) return void this.#digest.update(chunk);
    const text = this.#held + chunk.toString('latin1');
    this.#held = text.endsWith('\r') ? '\r' : '';
    this.#digest.update(text.slice(0, text.length - this.#held.length).replaceAll('\r\n', '\n'), 'latin1');
  }

  /** Returns the SHA-256 in hex. Call it once. */
  hex(): string {
    return this.#digest.update(this.#held, 'latin1').digest('hex');
  }
}

/** Reads from a position until the buffer is full or the file ends. @returns the number of bytes read */
async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let length = 0;
  for (let read = 1; read > 0 && length < buffer.length; length += read) {
    read = (await handle.read(buffer, length, buffer.length - length, position + length)).bytesRead;
  }
  return length;
}

function unsafe(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence);
}
