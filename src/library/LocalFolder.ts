import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, lstat, mkdir, open, realpath, rename, rm, statfs } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { FileWriter } from './FileWriter.ts';
import type { Folder } from './Folder.ts';

/** What file systems without links answer. */
const linklessCodes = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EACCES', 'EMLINK', 'EINVAL', 'EXDEV'];

/** On a disk with less, hardly a video has room; bytes. */
const leastRoom = 16n * 1024n * 1024n;

/** A folder of this machine. */
export class LocalFolder implements Folder {
  readonly uri: string;
  readonly #path: string;
  readonly #root: string | undefined;

  /**
   * Both paths are absolute.
   *
   * @param root what it must lie inside of, the workspace folder; none for a folder of the extension's own storage
   */
  constructor(path: string, root: string | undefined) {
    this.#path = path;
    this.#root = root;
    this.uri = pathToFileURL(path).href;
  }

  uriOf(name: string): string {
    return pathToFileURL(join(this.#path, name)).href;
  }

  async check(appendTo?: string): Promise<void> {
    try {
      const existing = await nearestExisting(this.#path);
      await this.#checkInside(existing);
      // Of a read-only disk, mkdir says that something does not exist.
      await access(existing, constants.W_OK);
      await mkdir(this.#path, { recursive: true });
      const probe = join(this.#path, `.${randomUUID()}.part`);
      const handle = await open(probe, 'wx');
      await handle.close();
      await rm(probe);
      await this.#checkRoom();
      if (appendTo === undefined) return;
      await this.#checkNoLink(appendTo);
      await this.append(appendTo, '');
    } catch (error) {
      if (error instanceof MediaError) throw error;
      const sentence = l10n.t('Files cannot be saved in {0} ({1}).', this.#path, reasonOf(error));
      throw new MediaError('save', sentence, { cause: error });
    }
  }

  async create(name: string, data: AsyncIterable<Uint8Array>): Promise<void> {
    await using file = await FileWriter.open(join(this.#path, name), 'wx+');
    for await (const chunk of data) await file.write(chunk);
    await file.finish();
  }

  async moveIfAbsent(from: string, to: string): Promise<boolean> {
    const source = join(this.#path, from);
    const target = join(this.#path, to);
    try {
      // Unlike rename, a link never replaces a file.
      await this.link(source, target);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      if (!linklessCodes.some((code) => hasCode(error, code))) throw error;
      return this.#reserveAndMove(source, target);
    }
    // The file has its name; that a second one stays hidden beside it is no failure.
    await rm(source).catch(() => undefined);
    return true;
  }

  async append(name: string, text: string): Promise<void> {
    await mkdir(this.#path, { recursive: true });
    // A workspace may come from anywhere: a link in it must not lead the writing elsewhere.
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
    await using handle = await open(join(this.#path, name), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW);
    await handle.appendFile(text);
    await handle.sync();
  }

  async read(name: string, from = 0): Promise<Uint8Array | undefined> {
    try {
      await using handle = await open(join(this.#path, name));
      const { size } = await handle.stat();
      const start = from < 0 ? Math.max(size + from, 0) : from;
      const bytes = Buffer.allocUnsafe(Math.max(size - start, 0));
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.subarray(0, length);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#path, name), { force: true });
  }

  /** Not every file system can. */
  protected link(source: string, target: string): Promise<void> {
    return link(source, target);
  }

  /** Bytes that are free for this user; undefined where the file system tells nothing, as some of networks do. */
  protected async room(): Promise<bigint | undefined> {
    const { blocks, bavail, bsize } = await statfs(this.#path, { bigint: true });
    return blocks > 0n ? bavail * bsize : undefined;
  }

  async #checkRoom(): Promise<void> {
    const room = await this.room();
    if (room === undefined || room >= leastRoom) return;
    throw new Error(l10n.t('the disk is full: {0} KiB are free', Number(room / 1024n).toLocaleString('en')));
  }

  /** For file systems without links: an empty file of ours takes the name, and is then replaced. */
  async #reserveAndMove(source: string, target: string): Promise<boolean> {
    try {
      const handle = await open(target, 'wx');
      await handle.close();
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
    try {
      await rename(source, target);
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    }
    return true;
  }

  async #checkNoLink(name: string): Promise<void> {
    const status = await lstat(join(this.#path, name)).catch(() => undefined);
    if (status?.isSymbolicLink()) {
      throw new MediaError('save', l10n.t('{0} is a link to another file.', join(this.#path, name)));
    }
  }

  async #checkInside(existing: string): Promise<void> {
    if (this.#root === undefined) return;
    const path = relative(await realpath(this.#root), await realpath(existing));
    if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) {
      throw new MediaError('save', l10n.t('{0} leads out of the workspace folder.', this.#path));
    }
  }
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await realpath(path);
    return path;
  } catch (error) {
    const parent = dirname(path);
    if (!hasCode(error, 'ENOENT') || parent === path) throw error;
    return nearestExisting(parent);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
