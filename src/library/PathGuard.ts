import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, rmdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { FileCalls } from './FileCalls.ts';
import { hasCode, isSameFile } from './FileCalls.ts';
import { realPath } from './realPath.ts';

/** Thrown when the file at a path is not the one that was opened there. */
export class ReplacedError extends Error {}

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
    if (this.#root === undefined) return real;
    const inside = relative(await realPath(this.#root), real);
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return real;
    const sentence = l10n.t('{0} leads outside the workspace folder, so it is not used.', this.#folder);
    throw new MediaError('save', sentence);
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
