import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realPath } from './FileCalls.ts';

/** How a computer names folders. */
export interface FolderNames {
  readonly platform: NodeJS.Platform;
  /** Resolves links. @throws errors of node:fs, such as ENOENT */
  realPath(path: string): Promise<string>;
}

const names: FolderNames = { platform: process.platform, realPath };

/**
 * Returns the one name of a folder, however its path is written: links are resolved, and case is folded where the
 * system ignores it. Names are compared and hashed; to reach the folder, use {@link pathOfRoot}.
 *
 * @param root a URI
 * @returns an absolute path for a `file:` URI
 */
export async function canonicalRoot(root: string, system = names): Promise<string> {
  if (!root.startsWith('file:')) return decoded(root);
  const path = pathOfRoot(root, system.platform);
  if (path === undefined) return root;
  const { resolve } = system.platform === 'win32' ? win32 : posix;
  return folded(resolve(await system.realPath(path).catch(() => path)), system.platform);
}

/**
 * Returns a path as it is spelled on disk, where the system also finds it in another spelling: for paths that are
 * committed. On macOS it is composed, as VS Code writes it. A path that leads through a link keeps its names.
 *
 * @param path absolute
 */
export async function spelledOnDisk(path: string, system = names): Promise<string> {
  if (system.platform !== 'win32' && system.platform !== 'darwin') return path;
  const real = await system.realPath(path).catch(() => undefined);
  const isSame = real !== undefined && folded(real, system.platform) === folded(path, system.platform);
  const spelled = isSame ? real : path;
  return system.platform === 'darwin' ? spelled.normalize('NFC') : spelled;
}

/** The two names of a distribution's disk in the Windows Subsystem for Linux, where case matters. */
const linuxShare = /^\\\\wsl(?:\$|\.localhost)(\\[^\\]+)/i;

function folded(path: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32' && platform !== 'darwin') return path;
  const [share = '', distribution = ''] = linuxShare.exec(path) ?? [];
  if (share !== '') return `\\\\wsl.localhost${distribution.toLowerCase()}${path.slice(share.length)}`;
  return path.normalize('NFC').toLowerCase();
}

/** Returns the path of a folder; undefined if it is not on a disk of this computer. */
export function pathOfRoot(root: string, platform = names.platform): string | undefined {
  if (!root.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(root, { windows: platform === 'win32' });
  } catch {
    return undefined;
  }
}

/** Whether a folder on disk was removed or renamed, or is on a drive that is not connected. */
export function isGone(root: string): boolean {
  return root.startsWith('file:') && !existsSync(pathOfRoot(root) ?? root);
}

/** Decodes percent-encoding; returns text that is not encoded correctly unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
