import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rmdir, statfs } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import {
  type FileCalls,
  hasCode,
  identityOf,
  isSameFile,
  nodeCalls,
  realPath,
  retryWhileHeld,
  syncFolder,
} from './FileCalls.ts';
import { type CreatedFile, type FileContent, type Folder, hasFile } from './Folder.ts';
import { free, giveAway } from './freeMemory.ts';
import { isOutside } from './pathFrom.ts';
import { readBytes } from './readBytes.ts';

/** Thrown when the file at a path is not the one that was opened there. */
class ReplacedError extends Error {}

/**
 * Keeps a folder inside a root. The folder may be a link to another folder inside the root, as some projects have, but
 * not to one outside, because a workspace may come from an untrusted source. A file must not be a link.
 *
 * Node cannot open a file relative to an open folder, so a link may be created between a check and the following call.
 * Therefore an opened file is checked again before it is read or written.
 */
export class PathGuard {
  readonly #folder: string;
  readonly #root: string | undefined;
  readonly #calls: Pick<FileCalls, 'mkdir'>;
  /** The root with all links resolved, as it was last seen. */
  #realRoot: string | undefined;

  /** @param root undefined for a folder of the extension's own storage, which may be anywhere */
  constructor(folder: string, root: string | undefined, calls: Pick<FileCalls, 'mkdir'>) {
    this.#folder = folder;
    this.#root = root;
    this.#calls = calls;
  }

  /**
   * @returns the path of the folder, or of something in it, with all links resolved
   * @throws ENOENT if it is missing; MediaError `save` if it is outside the root
   */
  async realPath(path = this.#folder): Promise<string> {
    const real = await realPath(path);
    if (this.#root === undefined || this.#isInside(real)) return real;
    // The root may be reached through a link, which may have changed since.
    this.#realRoot = await realPath(this.#root);
    if (this.#isInside(real)) return real;
    const sentence = l10n.t('{0} leads outside the workspace folder, so it is not used.', this.#folder);
    throw new MediaError('save', sentence);
  }

  #isInside(real: string): boolean {
    return this.#realRoot !== undefined && !isOutside(relative(this.#realRoot, real));
  }

  /** Creates the folder if it is missing, but not the root. @returns its path with all links resolved */
  async make(path = this.#folder): Promise<string> {
    try {
      return await this.realPath(path);
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    }
    const made = join(await this.make(dirname(path)), basename(path));
    const isNew = await this.#makeFolder(made);
    try {
      return await this.realPath(path);
    } catch (error) {
      // The parent has become a link in the meantime.
      if (isNew) await rmdir(made).catch(() => undefined);
      throw error;
    }
  }

  /** Checks that a path is a regular file, not a link or a pipe, which would block when opened. */
  async checkFile(path: string): Promise<BigIntStats> {
    const stats = await lstat(path, { bigint: true });
    if (stats.isFile()) return stats;
    throw new MediaError(
      'save',
      stats.isSymbolicLink()
        ? l10n.t('{0} is a link to another file, so it is not used.', path)
        : l10n.t('{0} is not a file, so it is not used.', path),
    );
  }

  /**
   * Checks that an opened file is still the one at its path, and inside the root.
   *
   * @throws ReplacedError if another file is there now; otherwise like {@link realPath} and {@link checkFile}
   */
  async verify(handle: FileHandle, path: string): Promise<BigIntStats> {
    const opened = await handle.stat({ bigint: true });
    await this.realPath(path);
    if (isSameFile(opened, await this.checkFile(path))) return opened;
    throw new ReplacedError(l10n.t('another program replaced {0}', path));
  }

  /** @returns false if it already existed */
  async #makeFolder(path: string): Promise<boolean> {
    try {
      await this.#calls.mkdir(path);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  }
}

/**
 * Errors that a move would end with as well. Any other may come from a file system without hard links, each of which has
 * its own: ENOTSUP, EPERM, EISDIR of exFAT on Windows (https://github.com/nodejs/node/issues/65817), UNKNOWN of OneDrive
 * (https://github.com/astral-sh/uv/issues/9500).
 */
const lastingCodes = ['ENOENT', 'ENOSPC', 'EROFS'] as const;

/**
 * Links a file to a second name, or moves it if the file system has no hard links. Unlike a plain rename, never
 * replaces an existing file.
 */
async function nameFile(source: string, target: string, calls: FileCalls): Promise<'linked' | 'moved' | 'taken'> {
  try {
    await retryWhileHeld(() => calls.link(source, target), calls, ['EBUSY']);
    return 'linked';
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return 'taken';
    if (hasCode(error, ...lastingCodes)) throw error;
  }
  return (await reserve(target, calls)) && (await replace(source, target, calls)) ? 'moved' : 'taken';
}

/** Reserves a name with an empty file. */
async function reserve(path: string, { open }: FileCalls): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    await handle.close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Moves a file over the empty one. Returns false if another program has written to the empty one in the meantime. */
async function replace(source: string, target: string, calls: FileCalls): Promise<boolean> {
  if (!(await isEmpty(target))) return false;
  try {
    await retryWhileHeld(() => calls.rename(source, target), calls);
    return true;
  } catch (error) {
    if (await isEmpty(target)) await retryWhileHeld(() => calls.unlink(target), calls).catch(() => undefined);
    throw error;
  }
}

/** Whether a file is empty, or missing. */
async function isEmpty(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats === undefined || stats.size === 0;
}

// Windows has no O_NOFOLLOW: there, only PathGuard detects links.
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_NOFOLLOW = 0 } = constants;

/** Minimum free disk space; less hardly suffices for a video. */
const minFreeBytes = 16n * 1024n * 1024n;

/** Bytes read at once. */
const chunkBytes = 2 ** 20;

/** Bits of a file's mode. */
const permissions = 0o777;

/** Of the hidden files that {@link LocalFolder.check} makes and removes. */
const probePrefix = '.probe-';
const leftMaxAgeMs = 60 * 60 * 1000;

/** A file that was checked to be the one at its path, and what it was then. */
interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** A folder on disk. */
export class LocalFolder implements Folder {
  readonly #path: string;
  readonly #guard: PathGuard;
  readonly #calls: FileCalls;

  /**
   * @param path absolute path of the folder
   * @param root absolute path of the workspace folder that contains it; undefined for the extension's own storage
   */
  constructor(path: string, root: string | undefined, calls: Partial<FileCalls> = {}) {
    this.#path = path;
    this.#calls = { ...nodeCalls, ...calls };
    this.#guard = new PathGuard(path, root, this.#calls);
  }

  get uri(): string {
    return pathToFileURL(this.#path).href;
  }

  uriOf(name: string): string {
    return pathToFileURL(join(this.#path, name)).href;
  }

  async check(appendTo?: string): Promise<void> {
    try {
      const folder = await this.#guard.make();
      const probe = join(folder, `${probePrefix}${randomUUID()}.part`);
      await (await this.#openNew(probe)).handle.close();
      await this.#unlink(probe);
      await this.#sweep(folder, /^\.probe-/);
      await this.#checkRoom();
      if (appendTo !== undefined) await this.append(appendTo, '');
    } catch (error) {
      if (error instanceof MediaError) throw error;
      const sentence = l10n.t('Files cannot be saved in {0} ({1}).', this.#path, reasonOf(error));
      throw new MediaError('save', sentence, { cause: error });
    }
  }

  async create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
    const path = join(await this.#guard.realPath(), name);
    const { handle, stats: opened } = await this.#openNew(path);
    await using file = new FileWriter(path, handle);
    try {
      for await (const chunk of data) await file.write(chunk);
      await file.finish();
      const stats = await this.#guard.verify(handle, path);
      return { name, bytes: Number(stats.size), identity: identityOf(stats) };
    } catch (error) {
      // The folder may have been moved, so that the file cannot be removed by its path: at least empty it.
      await file.empty().catch(() => undefined);
      await this.#discard(path, opened);
      throw error;
    }
  }

  async moveIfAbsent(created: CreatedFile, to: string): Promise<boolean> {
    const folder = await this.#guard.realPath();
    const source = join(folder, created.name);
    const target = join(folder, to);
    const stats = await this.#checkUnchanged(source, created);
    const outcome = await nameFile(source, target, this.#calls);
    if (outcome === 'taken') return false;
    try {
      await this.#guard.realPath(target);
    } catch (error) {
      for (const path of [target, source]) await this.#discard(path, stats);
      throw error;
    }
    if (outcome === 'linked') await this.#finishLink(source, target, stats);
    await syncFolder(folder, this.#calls);
    return true;
  }

  async replace(created: CreatedFile, name: string, content: FileContent): Promise<boolean> {
    const folder = await this.#guard.realPath();
    const source = join(folder, created.name);
    await this.#checkUnchanged(source, created);
    if (!(await hasFile(this, name, content))) return false;
    await this.#takeMode(source, join(folder, name));
    await retryWhileHeld(() => this.#calls.rename(source, join(folder, name)), this.#calls);
    await syncFolder(folder, this.#calls);
    return true;
  }

  append(name: string, text: string): Promise<void> {
    return repeatIfReplaced(async () => {
      const folder = await this.#guard.make();
      const path = join(folder, name);
      const { handle, isNew } = await this.#openToAppend(path);
      await using _ = handle;
      if (text !== '') {
        await appendLines(handle, text);
        await handle.sync();
      }
      if (isNew) await syncFolder(folder, this.#calls);
    });
  }

  async read(name: string, from = 0): Promise<Uint8Array | undefined> {
    try {
      const { handle, stats } = await this.#openToRead(name);
      await using _ = handle;
      const size = Number(stats.size);
      const start = from < 0 ? Math.max(size + from, 0) : from;
      return await readBytes(handle, start, size - start);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async *stream(name: string): AsyncGenerator<Uint8Array> {
    await using handle = (await this.#openToRead(name)).handle;
    for (let position = 0; ; ) {
      const chunk = await readBytes(handle, position, chunkBytes);
      if (chunk.length === 0) return;
      position += chunk.length;
      yield giveAway(chunk);
    }
  }

  async size(name: string): Promise<number | undefined> {
    try {
      const stats = await lstat(join(await this.#guard.realPath(), name));
      return stats.isFile() ? stats.size : undefined;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async list(): Promise<readonly string[]> {
    try {
      return await filesIn(await this.#guard.realPath());
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#unlink(join(await this.#guard.realPath(), name));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  /** Removes what killed processes have left: old files with such names. */
  async sweep(left: RegExp): Promise<void> {
    await this.#sweep(await this.#guard.realPath(), left);
  }

  async #sweep(folder: string, left: RegExp): Promise<void> {
    for (const name of (await filesIn(folder)).filter((one) => left.test(one))) {
      const stats = await lstat(join(folder, name)).catch(() => undefined);
      if (stats && Date.now() - stats.mtimeMs > leftMaxAgeMs) await this.remove(name).catch(() => undefined);
    }
  }

  /** Returns the free bytes for this user; undefined if the file system does not report them, as on some networks. */
  protected async room(): Promise<bigint | undefined> {
    const { blocks, bavail, bsize } = await statfs(this.#path, { bigint: true });
    return blocks > 0n ? bavail * bsize : undefined;
  }

  async #checkRoom(): Promise<void> {
    const room = await this.room();
    if (room === undefined || room >= minFreeBytes) return;
    throw new Error(l10n.t('the disk is full: {0} KiB are free', Number(room / 1024n).toLocaleString('en')));
  }

  /** Creates a file, and removes it if it turns out to be outside the root. */
  async #openNew(path: string, flags: string | number = 'wx+'): Promise<OpenedFile> {
    const handle = await this.#calls.open(path, flags);
    try {
      return { handle, stats: await this.#guard.verify(handle, path) };
    } catch (error) {
      await this.#discard(path, await handle.stat({ bigint: true }));
      await handle.close();
      throw error;
    }
  }

  async #openToAppend(path: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> {
    try {
      return { ...(await this.#open(path, O_APPEND | O_RDWR | O_NOFOLLOW)), isNew: false };
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    try {
      return { ...(await this.#openNew(path, O_APPEND | O_RDWR | O_CREAT | O_EXCL)), isNew: true };
    } catch (error) {
      throw hasCode(error, 'EEXIST') ? new ReplacedError(reasonOf(error)) : error;
    }
  }

  #openToRead(name: string): Promise<OpenedFile> {
    return repeatIfReplaced(async () => {
      return this.#open(join(await this.#guard.realPath(), name), O_RDONLY | O_NOFOLLOW);
    });
  }

  /** Opens an existing file. */
  async #open(path: string, flags: number): Promise<OpenedFile> {
    await this.#guard.checkFile(path);
    const handle = await this.#calls.open(path, flags);
    try {
      return { handle, stats: await this.#guard.verify(handle, path) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Checks that a created file was not replaced or changed. */
  async #checkUnchanged(path: string, created: CreatedFile): Promise<BigIntStats> {
    const { name, bytes, identity, sha256 } = created;
    const stats = await this.#guard.checkFile(path);
    const isSame = identity === undefined || identity === identityOf(stats);
    if (stats.size === BigInt(bytes)) {
      // Some network drives change a file's identity when it is closed.
      if (isSame || (sha256 !== undefined && (await hasFile(this, name, { bytes, sha256 })))) return stats;
    }
    throw changed(path);
  }

  /** Gives a created file the permissions of the one that it replaces, which may be private. Windows has none. */
  async #takeMode(source: string, replaced: string): Promise<void> {
    if (process.platform === 'win32') return;
    const { mode } = await lstat(replaced);
    const { handle, stats } = await this.#open(source, O_RDONLY | O_NOFOLLOW);
    await using _ = handle;
    const own = Number(stats.mode);
    // Some file systems have one mode for all files, and no call to change it.
    if ((own & permissions) !== (mode & permissions)) await handle.chmod(mode & permissions);
  }

  /** Checks that the new link points to the checked file, and removes the first name. */
  async #finishLink(source: string, target: string, stats: BigIntStats): Promise<void> {
    if (!isSameFile(await lstat(target, { bigint: true }), stats)) {
      // This removes the target only if it is the file at `source`, so nothing is lost.
      await this.#discard(target, await lstat(source, { bigint: true }));
      throw changed(source);
    }
    // The file has its name. If the hidden one stays, that is not a failure, and it is removed later.
    await this.#unlink(source).catch(() => undefined);
  }

  /** Removes the file at a path if it is this one. */
  async #discard(path: string, stats: BigIntStats): Promise<void> {
    try {
      if (isSameFile(stats, await lstat(path, { bigint: true }))) await this.#unlink(path);
    } catch {
      // Report the failure that led here, not this one.
    }
  }

  #unlink(path: string): Promise<void> {
    return retryWhileHeld(() => this.#calls.unlink(path), this.#calls);
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function changed(path: string): MediaError {
  const sentence = l10n.t(
    'The result was not saved, because another program changed {0} before it got its final name.',
    path,
  );
  return new MediaError('save', sentence);
}

/** Retries a call when the file was replaced while it was being opened, as git does. */
async function repeatIfReplaced<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < 5; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ReplacedError)) throw error;
    }
  }
  return call();
}

/** Bytes buffered per write, because small writes are slow. */
const gatherBytes = 2 ** 20;

/** Bytes after which written data is flushed to disk, so that little is left to flush at the end. */
const flushBytes = 16 * 2 ** 20;

/** Writes a file sequentially, and buffers more data while some is being written. */
export class FileWriter {
  readonly path: string;
  readonly #handle: FileHandle;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #unwritten: Uint8Array[] = [];
  #writtenBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #flushedBytes = 0;
  #flushing: Promise<void> = Promise.resolve();

  /** @param handle a new file, open for writing and reading; disposing the writer closes it */
  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** @param flags `wx+` if the file must not exist, `w+` to replace it; `+` because {@link takeBack} reads it */
  static async open(path: string, flags: 'wx+' | 'w+', mode?: number): Promise<FileWriter> {
    return new FileWriter(path, await open(path, flags, mode));
  }

  /**
   * Adds a chunk, which must not change afterwards. A chunk that was given away is freed after it is written. Resolves
   * when the next chunk can be added; may reject because of an earlier one.
   */
  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= gatherBytes) await this.#writeGathered();
  }

  /** Resolves when everything is on disk. */
  async finish(): Promise<void> {
    await this.#writeGathered();
    await this.#writing;
    await this.#flushing;
    await this.#handle.sync();
  }

  /** Returns all chunks passed to `write`, including those that could not be written. */
  async takeBack(): Promise<readonly Uint8Array[]> {
    await this.#writing.catch(() => undefined);
    const written = await readBytes(this.#handle, 0, this.#writtenBytes);
    if (written.length < this.#writtenBytes) throw new Error(`another program truncated ${this.path}`);
    return [written, ...this.#unwritten, ...this.#gathered];
  }

  /** Truncates the file. */
  async empty(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#handle.truncate();
  }

  /** Closes the file; Node waits for a pending write first. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #writeGathered(): Promise<void> {
    await this.#writing;
    this.#unwritten = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#writing = this.#writeAll();
    // The next call awaits and reports a failure; this avoids an unhandled rejection.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const { bytesWritten } = await this.#handle.writev(this.#unwritten);
      this.#writtenBytes += bytesWritten;
      const chunks = this.#unwritten;
      this.#unwritten = behind(chunks, bytesWritten);
      if (this.#unwritten.length === 0) chunks.forEach(free);
    }
    if (this.#writtenBytes - this.#flushedBytes < flushBytes) return;
    await this.#flushing;
    this.#flushedBytes = this.#writtenBytes;
    this.#flushing = this.#handle.datasync();
    this.#flushing.catch(() => undefined);
  }
}

/** Returns what is left of chunks after a number of bytes. */
function behind(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return chunks.flatMap((chunk) => {
    const skip = Math.min(skipped, chunk.length);
    skipped -= skip;
    return skip < chunk.length ? [chunk.subarray(skip)] : [];
  });
}

const lineBreak = 10;
const attempts = 5;

/**
 * Appends lines to a file that other processes append to at the same time.
 *
 * Writes `text` with a single `write` call, which appends it in one piece; `appendFile` would split it, and lines of
 * other processes would get in between. A write can still be incomplete, for example on a full disk, or follow an
 * incomplete line of another process. So the result is read back, and if the lines are not complete, all of them are
 * appended again after a line break. The incomplete line stays as a damaged line, which readers skip. Appending only
 * the rest would not work, because another line may have been appended by then.
 *
 * A line break is also written first when another process has not finished its line yet. That leaves an empty line,
 * which readers skip too.
 *
 * @param handle open for appending and reading
 * @param text whole lines
 */
export async function appendLines(handle: FileHandle, text: string): Promise<void> {
  const lines = Buffer.from(text);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { size } = await handle.stat();
    await handle.write((await endsLine(handle, size)) ? lines : behindBreak(lines));
    if (await holdsLines(handle, size, lines)) return;
  }
  throw new Error(l10n.t('other programs write to the file at the same time'));
}

/** Whether a file is empty or ends with a line break, which a crash may have prevented. */
async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  return size === 0 || (await readBytes(handle, size - 1, 1))[0] === lineBreak;
}

/** Whether the file contains the lines, as whole lines, after a position. */
async function holdsLines(handle: FileHandle, from: number, lines: Buffer): Promise<boolean> {
  const { size } = await handle.stat();
  return behindBreak(await readBytes(handle, from, size - from)).includes(behindBreak(lines));
}

function behindBreak(lines: Buffer): Buffer {
  return Buffer.concat([Buffer.of(lineBreak), lines]);
}
