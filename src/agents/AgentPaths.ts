import { readFile, stat } from 'node:fs/promises';
import type { win32 } from 'node:path';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../library/FileCalls.ts';
import { isFileName } from '../library/fileName.ts';
import { realPath } from '../library/realPath.ts';
import { sha256OfFile } from '../library/sha256.ts';
import { extensionOf, imageExtensions, outputExtensions } from '../operations/fileExtensions.ts';
import { maxPointerBytes, pointedHash } from '../operations/lfsPointer.ts';
import { invalid } from './readInput.ts';

/** A local workspace folder. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** A file in the workspace that may be sent. */
export interface InputFile {
  /** Absolute path without symbolic links. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The folder that results are saved to. */
export interface OutputFolder {
  readonly root: WorkspaceRoot;
  /** Relative to the root, with forward slashes; empty for the root itself. */
  readonly path: string;
}

/**
 * Resolves an input file that an agent names.
 *
 * @param value absolute, or relative to a workspace folder, whose name may come first in a multi-root workspace
 * @throws MediaError `invalidInput` unless it is a regular file inside the workspace after following links, and not a
 *   Git LFS pointer
 */
export async function inputFile(field: string, value: string, roots: readonly WorkspaceRoot[]): Promise<InputFile> {
  for (const path of candidates(value, roots)) {
    const unreadable = () => invalid(field, `"${field}": ${value} could not be read.`);
    const real = await realPath(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw unreadable();
    });
    if (real === undefined) continue;
    const inside = await isReadable(real, roots);
    if (!inside) throw invalid(field, `"${field}": ${value} is not a file in the workspace. ${acceptedInputs}`);
    const facts = await stat(real);
    if (!facts.isFile()) throw invalid(field, `"${field}": ${value} is not a regular file. ${acceptedInputs}`);
    if (facts.size < maxPointerBytes && pointedHash(await readFile(real)) !== undefined) {
      throw invalid(field, `"${field}": ${value} is a Git LFS pointer, not the file itself. Run "git lfs pull" first.`);
    }
    const sha256 = await sha256OfFile(real).catch(() => Promise.reject(unreadable()));
    return { path: real, bytes: facts.size, sha256 };
  }
  throw invalid(field, `"${field}": ${value} does not exist in the workspace. ${acceptedInputs}`);
}

const acceptedInputs = 'Use a path in the workspace, or an asset_id from media_find_assets.';

/**
 * Resolves an output folder that an agent names.
 *
 * @throws MediaError `invalidInput` if it is outside the workspace, in a hidden folder, or cannot be a folder on every
 *   system
 */
export async function outputFolder(value: string, roots: readonly WorkspaceRoot[]): Promise<OutputFolder> {
  const segments = value
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (isAbsolute(value) || /^([a-z]:|[/\\])/i.test(value) || segments.includes('..')) {
    throw invalid('folder', `"folder" must be a path relative to the workspace folder and inside it, not ${value}.`);
  }
  const named = roots.length > 1 ? roots.find(({ name }) => name === segments[0]) : undefined;
  const root = named ?? roots[0];
  if (!root) throw invalid('folder', 'No folder is open in the window. Ask the user to open one.');
  const path = named ? segments.slice(1) : segments;
  if (path.some(isHidden)) throw hidden(value);
  // A link inside the workspace may lead out of it or to its hidden files.
  const real = path.every(isFileName) ? await realFolder(join(root.path, ...path)) : undefined;
  if (real === undefined) throw invalid('folder', `"folder": ${value} cannot be a folder. Use another one.`);
  const inside = relative(await realPath(root.path), real);
  if (isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) throw hidden(value);
  return { root, path: path.join('/') };
}

/**
 * Returns the name of a new file without its extension, which follows from the result.
 *
 * @throws MediaError `invalidInput` for a path or a hidden file
 */
export function outputName(value: string): string {
  if (isHidden(value) || !isFileName(value)) {
    throw invalid(
      'file_name',
      `"file_name" must be a plain name such as "hero", not ${value}. Use "folder" for the folder.`,
    );
  }
  const extension = extensionOf(value);
  const isNamed = [imageExtensions, ...Object.values(outputExtensions)].flat().some((one) => one === extension);
  return isNamed ? value.slice(0, -extension.length - 1) : value;
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name.toLowerCase() === 'git' || isOfGit(name);
}

/** Whether a name is that of `.git`, or the short one that Windows gives it. */
function isOfGit(name: string): boolean {
  return /^(\.git|git~\d+)$/i.test(name);
}

function hidden(value: string) {
  return invalid(
    'folder',
    `"folder" must not lead out of the workspace or into hidden folders such as .git, but ${value} does.`,
  );
}

function candidates(value: string, roots: readonly WorkspaceRoot[]): readonly string[] {
  if (isAbsolute(value)) return [value];
  const [first = '', ...others] = value.replaceAll('\\', '/').split('/');
  const named =
    roots.length > 1 ? roots.filter(({ name }) => name === first).map(({ path }) => resolve(path, ...others)) : [];
  return [...named, ...roots.map(({ path }) => resolve(path, value))];
}

/** Whether a path without links is inside a workspace folder and not in `.git`. */
async function isReadable(path: string, roots: readonly WorkspaceRoot[]): Promise<boolean> {
  for (const root of roots) {
    const inside = relative(await realPath(root.path), path);
    if (!isOutside(inside) && inside !== '') return !inside.split(sep).some(isOfGit);
  }
  return false;
}

/** Whether a relative path leads out of its folder. Between two drives of Windows it is absolute. */
export function isOutside(
  inside: string,
  system: Pick<typeof win32, 'sep' | 'isAbsolute'> = { sep, isAbsolute },
): boolean {
  return inside === '..' || inside.startsWith(`..${system.sep}`) || system.isAbsolute(inside);
}

/**
 * Resolves the links of a folder whose last segments may not exist yet.
 *
 * @returns undefined if something else is in its way. Below a file, Windows reports ENOENT where others report ENOTDIR.
 */
async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realPath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) return undefined;
    const parent = await realFolder(dirname(path));
    return parent && join(parent, basename(path));
  }
}
