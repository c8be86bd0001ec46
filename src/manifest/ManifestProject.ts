import { existsSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import pLimit from 'p-limit';
import { canonicalRoot } from '../files/canonicalRoot.ts';
import { hasCode } from '../files/FileCalls.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { replaceText, unreadable } from '../files/readText.ts';
import { hashOf } from '../files/sha256.ts';
import type { Library } from '../library/Library.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import { digitalSourcesIn } from '../library/recordedMarks.ts';
import { temporaryName } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { wholeKey } from '../wholes/wholeKey.ts';
import { checkManifest } from '../work/Place.ts';
import type { Store } from '../work/Store.ts';
import { FileHashes, type KnownHash } from './FileHashes.ts';
import { findDocuments } from './findDocuments.ts';
import { type Lock, type LockLine, lockNameOf, lockText, readDeclared, readLock, readMergedLock } from './Lock.ts';
import { type Entry, inputsOf, keyOf, type Manifest, type Problem } from './Manifest.ts';
import { type ReadManifest, readManifest, soundPart, withoutProblems } from './readManifest.ts';
import { Variants } from './Variants.ts';

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
  /** The paths of the entries that must be right: of the others, those with a problem are left out. All if absent. */
  readonly only?: readonly string[];
  /** Whether git may not be asked which documents it ignores, as in a folder that nobody trusts. */
  readonly withoutGit?: boolean;
}

/** A manifest with its lock, and the files around it. */
export class ManifestProject {
  readonly manifest: Manifest;
  /** Why entries are left out. */
  readonly problems: readonly Problem[];
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
  readonly #withoutGit: boolean | undefined;
  /** Returns what a result in the library is. The library is read once for all. */
  readonly digitalSourceOf: ReturnType<typeof digitalSourcesIn>;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #lock: Map<string, LockLine>;
  #records: Promise<ReadonlyMap<string | undefined, readonly LibraryEntry[]>> | undefined;
  readonly #settled = new Map<string, LockLine>();
  /** Reads and changes the lock on disk, one after the other. */
  readonly #changes = pLimit(1);

  private constructor(
    { manifest, problems }: ReadManifest,
    lock: Lock,
    hashes: FileHashes,
    key: string,
    { root, library, store, declared, withoutGit, saved }: ProjectOptions & { readonly saved: string },
  ) {
    this.#withoutGit = withoutGit;
    this.manifest = manifest;
    this.problems = problems;
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
    const read = await readWithDocuments(text, file, options);
    const sound = options.only
      ? soundPart(read, basename(file), options.only)
      : { manifest: withoutProblems(read, basename(file)), problems: [] };
    const { manifest } = sound;
    const hashes = new FileHashes(manifest.folder, options.root, options.known);
    const name = lockNameOf(file);
    const written = await lockIn(join(manifest.folder, name));
    const lock = await readMergedLock(written, name, (path) => hashes.of(path).catch(() => undefined));
    const key = wholeKey('manifest', await canonicalRoot(pathToFileURL(file).href));
    return new ManifestProject(sound, lock, hashes, key, { ...options, saved });
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
   * Returns the library's records of a file that the manifest names, oldest first, also those that a later one replaces.
   * The library is read once for all of them, so records that are added later are not among them.
   */
  async recordsOf(path: string): Promise<readonly LibraryEntry[]> {
    this.#records ??= this.#readRecords();
    return (await this.#records).get(this.recorded(path)) ?? [];
  }

  async #readRecords(): Promise<ReadonlyMap<string | undefined, readonly LibraryEntry[]>> {
    const paths = this.manifest.entries.flatMap((entry) => [entry.path, ...inputsOf(entry)]);
    const records = new Map<string | undefined, LibraryEntry[]>();
    for (const record of await this.library.entriesAt(
      paths.map((path) => this.recorded(path)),
      true,
    )) {
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
    const line = (await this.#changes(() => this.#read())).get(keyOf(path));
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
    if (text === this.#saved) return undefined;
    return readWithDocuments(text, file, { root: this.root, declared: this.#declared, withoutGit: this.#withoutGit });
  }

  /** Returns why the lock cannot be changed: a merge conflict that others have left in it, or a read-only folder. */
  async lockProblem(): Promise<string | undefined> {
    try {
      await this.#changes(() => this.#read());
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
  changeLock(path: string, line: LockLine | undefined): Promise<void> {
    return this.#changes(() => this.#changeLock(path, line));
  }

  /** Writes a line of the lock in place of that of an earlier path. Throws like {@link changeLock}. */
  renameInLock(from: string, line: LockLine): Promise<void> {
    return this.#changes(() => this.#changeLock(line.path, line, from));
  }

  async #changeLock(path: string, line: LockLine | undefined, instead = path): Promise<void> {
    const lock = new Map(await this.#read());
    for (const lines of [lock, this.#lock]) {
      lines.delete(keyOf(instead));
      if (line) lines.set(keyOf(path), line);
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

/** Reads a manifest with the documents that its patterns match now. */
async function readWithDocuments(
  text: string,
  file: string,
  { root, declared, withoutGit = false }: Pick<ProjectOptions, 'root' | 'declared' | 'withoutGit'>,
): Promise<ReadManifest> {
  const read = readManifest(text, file, declared);
  const patterns = [...new Set(read.manifest.patterns.map(({ document }) => document))];
  if (patterns.length === 0) return read;
  const documents = await findDocuments(patterns, { folder: dirname(file), root, withoutGit });
  return readManifest(text, file, declared, documents);
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
