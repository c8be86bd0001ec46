import { realpath, stat } from 'node:fs/promises';
import type { win32 } from 'node:path';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../library/FileCalls.ts';
import { extensionOf, imageExtensions, outputExtensions } from '../operations/fileExtensions.ts';
import { invalid } from './readInput.ts';

/** A local workspace folder. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** A file in the workspace that may be sent. */
export interface InputPath {
  /** Absolute path without symbolic links. */
  readonly path: string;
  readonly bytes: number;
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
 * @throws MediaError `invalidInput` unless it is a regular file inside the workspace after following links
 */
export async function inputPath(field: string, value: string, roots: readonly WorkspaceRoot[]): Promise<InputPath> {
  for (const path of candidates(value, roots)) {
    const real = await realpath(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw invalid(field, `"${field}": ${value} could not be read.`);
    });
    if (real === undefined) continue;
    const inside = await isReadable(real, roots);
    if (!inside) throw invalid(field, `"${field}": ${value} is not a file in the workspace. ${acceptedInputs}`);
    const facts = await stat(real);
    if (!facts.isFile()) throw invalid(field, `"${field}": ${value} is not a regular file. ${acceptedInputs}`);
    return { path: real, bytes: facts.size };
  }
  throw invalid(field, `"${field}": ${value} does not exist in the workspace. ${acceptedInputs}`);
}

const acceptedInputs = 'Use a path in the workspace, or an asset_id from media_find_assets.';

/**
 * Resolves an output folder that an agent names.
 *
 * @throws MediaError `invalidInput` if it is outside the workspace, or in a hidden folder
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
  if (!path.every(isPlainName)) throw hidden(value);
  // A link inside the workspace may lead out of it or to its hidden files.
  const real = await realPathOfParent(join(root.path, ...path)).catch(() => {
    throw invalid('folder', `"folder": ${value} cannot be a folder. Use another one.`);
  });
  const inside = relative(await realpath(root.path), real);
  if (isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) throw hidden(value);
  return { root, path: path.join('/') };
}

/**
 * Returns the name of a new file without its extension, which follows from the result.
 *
 * @throws MediaError `invalidInput` for a path or a hidden file
 */
export function outputName(value: string): string {
  if (!isPlainName(value)) {
    throw invalid(
      'file_name',
      `"file_name" must be a plain name such as "hero", not ${value}. Use "folder" for the folder.`,
    );
  }
  const extension = extensionOf(value);
  const isNamed = [imageExtensions, ...Object.values(outputExtensions)].flat().some((one) => one === extension);
  return isNamed ? value.slice(0, -extension.length - 1) : value;
}

/** Whether a name is valid on every system, not hidden and not a path. */
function isPlainName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return !/^\.|[\0-\x1f/\\:*?"<>|]|[. ]$/.test(name) && name.trim() !== '' && !/^\.?git$/i.test(name);
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
    const inside = relative(await realpath(root.path), path);
    if (!isOutside(inside) && inside !== '')
      return !inside.split(sep).some((segment) => segment.toLowerCase() === '.git');
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

/** Resolves the links of a path whose last segments may not exist yet. */
async function realPathOfParent(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    return join(await realPathOfParent(dirname(path)), basename(path));
  }
}
