import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { FileCalls } from './FileCalls.ts';
import { isSameFile } from './FileCalls.ts';
import { hasCode } from './hasCode.ts';

/** The file at a path is not the one that was opened there. */
export class ReplacedError extends Error {}

/**
 * Keeps a folder inside a root. A folder below the root may be a link to another folder inside the root, because people
 * arrange their projects so; it must not lead out, because a workspace may come from anywhere. A file must be no link.
 *
 * Node cannot open a file relative to an open folder, so a link may be made between a check and the call that follows it.
 * Therefore what was opened is checked again before anything is read from it or written to it.
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
   * @returns the path of the folder, or of something in it, without links
   * @throws ENOENT if it is missing; MediaError `save` if it is outside of the root
   */
  async realPath(path = this.#folder): Promise<string> {
    const real = await realpath(path);
    if (this.#root === undefined) return real;
    const inside = relative(await realpath(this.#root), real);
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return real;
    throw new MediaError('save', l10n.t('{0} leads out of the workspace folder, so it is not used.', this.#folder));
  }

  /** Creates the folder if it is missing, but not the root. @returns its path without links */
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
      // The parent has become a link meanwhile.
      if (isNew) await rmdir(made).catch(() => undefined);
      throw error;
    }
  }

  /** Proves that there is a file at a path and no link. Opening a pipe would wait for ever. */
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
   * Proves that an opened file is the one at its path, and inside.
   *
   * @throws ReplacedError if another file is there now; else as {@link realPath} and {@link checkFile}
   */
  async verify(handle: FileHandle, path: string): Promise<BigIntStats> {
    const opened = await handle.stat({ bigint: true });
    await this.realPath(path);
    if (isSameFile(opened, await this.checkFile(path))) return opened;
    throw new ReplacedError(l10n.t('another program replaced {0}', path));
  }

  /** @returns false if it was there already */
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
