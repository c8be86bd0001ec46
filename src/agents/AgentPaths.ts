import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../library/FileCalls.ts';
import { invalid } from './readInput.ts';

/** A folder of the window. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Absolute, on this machine. */
  readonly path: string;
}

/** A file of the workspace that may be sent. */
export interface InputPath {
  /** Absolute, without links. */
  readonly path: string;
  readonly bytes: number;
}

/** Where results go. */
export interface OutputFolder {
  readonly root: WorkspaceRoot;
  /** Relative to the root, with forward slashes; empty for the root itself. */
  readonly path: string;
}

/**
 * A file that an agent names, to be read and sent.
 *
 * @param value absolute, or relative to one of the folders; of several folders, its name may stand in front
 * @throws MediaError `invalidInput` unless it is a regular file of the workspace, links followed
 */
export async function inputPath(field: string, value: string, roots: readonly WorkspaceRoot[]): Promise<InputPath> {
  for (const path of candidates(value, roots)) {
    const real = await realpath(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw invalid(field, `"${field}": ${value} cannot be read.`);
    });
    if (real === undefined) continue;
    const inside = await isReadable(real, roots);
    if (!inside) throw invalid(field, `"${field}": ${value} is not a file of the workspace. ${namesOnly}`);
    const facts = await stat(real);
    if (!facts.isFile()) throw invalid(field, `"${field}": ${value} is not a regular file. ${namesOnly}`);
    return { path: real, bytes: facts.size };
  }
  throw invalid(field, `"${field}": ${value} does not exist in the workspace. ${namesOnly}`);
}

const namesOnly = 'Give a path in the workspace, or an asset_id from media_find_assets.';

/**
 * A folder that an agent names, for results.
 *
 * @throws MediaError `invalidInput` when it is not below a folder of the workspace, or among its hidden files
 */
export async function outputFolder(value: string, roots: readonly WorkspaceRoot[]): Promise<OutputFolder> {
  const segments = value
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (isAbsolute(value) || /^([a-z]:|[/\\])/i.test(value) || segments.includes('..')) {
    throw invalid('folder', `"folder" must be a path inside the workspace, relative to its folder, not ${value}.`);
  }
  const named = roots.length > 1 ? roots.find(({ name }) => name === segments[0]) : undefined;
  const root = named ?? roots[0];
  if (!root) throw invalid('folder', 'No folder is open in the window. Ask the person to open one.');
  const path = named ? segments.slice(1) : segments;
  const wrong = path.find((segment) => !isPlainName(segment));
  if (wrong !== undefined) throw hidden(value);
  // A link inside the workspace may lead to its hidden files, or out of it.
  const real = await realPathOfParent(join(root.path, ...path));
  const inside = relative(await realpath(root.path), real);
  if (isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) throw hidden(value);
  return { root, path: path.join('/') };
}

/**
 * The name of a new file: its extension follows the result.
 *
 * @throws MediaError `invalidInput` for a path or a hidden file
 */
export function outputName(value: string): string {
  if (!isPlainName(value)) {
    throw invalid(
      'file_name',
      `"file_name" must be a plain name such as "hero", not ${value}. Name the folder in "folder".`,
    );
  }
  return value.replace(/\.(png|jpe?g|webp|gif|mp3|wav|opus|aac|flac|pcm|mp4|mov|webm|md|txt|srt|vtt)$/i, '');
}

/** No path, nothing hidden, nothing that a system reads as something else. */
function isPlainName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return !/^\.|[\0-\x1f/\\:*?"<>|]|[. ]$/.test(name) && name.trim() !== '' && !/^\.?git$/i.test(name);
}

function hidden(value: string) {
  return invalid(
    'folder',
    `"folder" must not lead out of the workspace or to hidden folders such as .git, which ${value} does.`,
  );
}

function candidates(value: string, roots: readonly WorkspaceRoot[]): readonly string[] {
  if (isAbsolute(value)) return [value];
  const [first = '', ...others] = value.replaceAll('\\', '/').split('/');
  const named =
    roots.length > 1 ? roots.filter(({ name }) => name === first).map(({ path }) => resolve(path, ...others)) : [];
  return [...named, ...roots.map(({ path }) => resolve(path, value))];
}

/** Whether a path without links lies in one of the folders, and not in what Git keeps. */
async function isReadable(path: string, roots: readonly WorkspaceRoot[]): Promise<boolean> {
  for (const root of roots) {
    const inside = relative(await realpath(root.path), path);
    if (!isOutside(inside) && inside !== '')
      return !inside.split(sep).some((segment) => segment.toLowerCase() === '.git');
  }
  return false;
}

function isOutside(inside: string): boolean {
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

/** Of a path whose end may not exist yet, without links. */
async function realPathOfParent(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    return join(await realPathOfParent(dirname(path)), basename(path));
  }
}
