import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hasCode } from '../library/FileCalls.ts';
import { MediaError } from '../operations/MediaError.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** A pointer of Git LFS is shorter. */
const maxPointerBytes = 1024;
const pointer = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n[\s\S]*^oid sha256:([0-9a-f]{64})\r?$/m;
const chunkBytes = 2 ** 20;
/** How many files are read side by side while one is hashed; their buffers are all the memory that it takes. */
const readersAtOnce = 4;
/** A file that was changed this shortly before it was hashed may change again without a sign; in milliseconds. */
const restless = 2000;

/** What is remembered of a file, as long as it looks the same. */
export interface KnownHash {
  /** Size, times and number of the file. */
  readonly stamp: string;
  readonly sha256: string;
}

/**
 * The content hashes of files of a folder. The pointer that Git LFS leaves in the place of a file counts as its content.
 * No file outside of the root is read, also not by a link.
 */
export class FileHashes {
  readonly #folder: string;
  readonly #root: string;
  readonly #known: Map<string, KnownHash> | undefined;
  readonly #folders = new Map<string, Promise<string | undefined>>();
  readonly #results = new Map<string, Promise<string | undefined>>();
  readonly #waiting: (() => void)[] = [];
  readonly #buffers: Buffer[] = [];
  #reading = 0;

  /**
   * @param folder absolute; paths are relative to it
   * @param root the folder, or one above it, that links may lead to
   * @param known hashes of files that have not changed need not be computed again; undefined to read every file
   */
  constructor(folder: string, root: string, known?: Map<string, KnownHash>) {
    this.#folder = folder;
    this.#root = root;
    this.#known = known;
  }

  /**
   * Hexadecimal; undefined for a file that is not there.
   *
   * @throws MediaError `invalidInput` for a path that leads out, a link, or what is no file
   */
  of(path: string): Promise<string | undefined> {
    const result = this.#results.get(path) ?? this.#hash(path);
    this.#results.set(path, result);
    return result;
  }

  /** Forgets a file that was written. */
  changed(path: string): void {
    this.#results.delete(path);
    this.#folders.clear();
  }

  /**
   * Where a file of the manifest is, without links.
   *
   * @returns undefined where its folder is not there yet, inside of the root
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
      const sha256 = await this.#inTurn((buffer) => hashFile(file, Number(stats.size), buffer));
      const isQuiet = Date.now() - Number(stats.mtimeMs) > restless && Date.now() - Number(stats.ctimeMs) > restless;
      if (isQuiet) this.#known?.set(file, { stamp, sha256 });
      return sha256;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  #realFolder(folder: string): Promise<string | undefined> {
    const found = this.#folders.get(folder) ?? this.#findFolder(folder);
    this.#folders.set(folder, found);
    return found;
  }

  async #findFolder(folder: string): Promise<string | undefined> {
    try {
      const [real, root] = await Promise.all([realpath(folder), realpath(this.#root)]);
      const inside = relative(root, real);
      const names = inside.split(sep);
      // The rules for names also count where a link leads to.
      if (names[0] !== '..' && join(root, inside) === real && !names.some((name) => closed.test(name))) return real;
      const shown = relative(this.#folder, folder);
      throw unsafe(l10n.t('{0} is a link that leads out of the project, so it is not used.', shown));
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
      // What is not there is made in the nearest folder that is: that must be inside.
      if (dirname(folder) !== folder) await this.#realFolder(dirname(folder));
      return undefined;
    }
  }

  /** Reads a few files at a time: more would only wait for each other, and take memory. */
  async #inTurn(work: (buffer: Buffer) => Promise<string>): Promise<string> {
    if (this.#reading >= readersAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading++;
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
    try {
      return await work(buffer);
    } finally {
      this.#buffers.push(buffer);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading--;
    }
  }
}

const closed = /^\.(git|vscode|unified-media)$/i;

async function hashFile(file: string, size: number, buffer: Buffer): Promise<string> {
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const first = await fill(handle, buffer, 0);
  if (size < maxPointerBytes) {
    const oid = pointer.exec(buffer.toString('latin1', 0, first))?.[1];
    if (oid !== undefined) return oid;
  }
  const digest = createHash('sha256');
  for (let position = 0, length = first; length > 0; length = await fill(handle, buffer, position)) {
    digest.update(buffer.subarray(0, length));
    position += length;
    if (length < buffer.length) break;
  }
  return digest.digest('hex');
}

/** Reads as much as there is room for. */
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

/** SHA-256 in hex of a text, or of a value as JSON. */
export function hashOf(value: unknown): string {
  return hash('sha256', typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
