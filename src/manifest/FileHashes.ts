import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import pLimit from 'p-limit';
import { hasCode, realPath } from '../files/FileCalls.ts';
import type { Folder } from '../files/Folder.ts';
import { free } from '../files/freeMemory.ts';
import { pointedHash } from '../files/lfsPointer.ts';
import { MediaError } from '../operations/MediaError.ts';
import { extensionOf, outputExtensions } from '../operations/operations.ts';
import { type RecordingLength, recordingMinutes } from '../sound/readRecording.ts';
import { reservedFolders } from './Manifest.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const chunkBytes = 2 ** 20;
/** How many files are hashed concurrently, each with one buffer. */
const maxReaders = 4;
/**
 * In milliseconds. A file changed more recently may change again within the same timestamp, so its hash is not cached.
 */
const minAgeToCache = 2000;

/** The cached hash of a file, valid while its stamp is the same. It has a length once somebody asked for that. */
export interface KnownHash extends Partial<RecordingLength> {
  /** Size, times and inode number of the file. */
  readonly stamp: string;
  readonly sha256: string;
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
  readonly #lengths = new Map<string, Promise<RecordingLength>>();
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

  /** Returns what a recording counts as. Throws like {@link of}, and if the file does not exist. */
  lengthOf(path: string): Promise<RecordingLength> {
    const result = this.#lengths.get(path) ?? this.#measure(path);
    this.#lengths.set(path, result);
    return result;
  }

  /** Forgets the hash of a file that was written. */
  changed(path: string): void {
    this.#results.delete(path);
    this.#lengths.delete(path);
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

  async #measure(path: string): Promise<RecordingLength> {
    const sha256 = await this.of(path);
    const file = (await this.locate(path)) ?? join(this.#folder, path);
    const known = this.#known?.get(file);
    if (known?.minutes !== undefined && known.sha256 === sha256) {
      const { minutes, minutesAtMost } = known;
      return { minutes, ...(minutesAtMost ? { minutesAtMost } : {}) };
    }
    const length = await this.#inTurn(() => recordingMinutes(file));
    if (known && known.sha256 === sha256) this.#known?.set(file, { ...known, ...length });
    return length;
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

/** Yields all chunks, and hashes them. */
export async function* hashedBy(content: ContentHash, data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of data) {
    content.update(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    yield chunk;
  }
}

/** Hashes the content of a file as the lock does. */
export async function hashIn(folder: Pick<Folder, 'stream'>, name: string): Promise<string> {
  const content = new ContentHash(name);
  for await (const chunk of hashedBy(content, folder.stream(name))) free(chunk);
  return content.hex();
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
