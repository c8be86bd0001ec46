import { type FileHandle, lstat, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type AgreedFile, openOnce, readContent } from '../files/AgreedFile.ts';
import { hasCode, realPath } from '../files/FileCalls.ts';
import { ignoredByGit } from '../files/ignoredByGit.ts';
import { maxPointerBytes, pointedHash } from '../files/lfsPointer.ts';
import { leavingProblem, type SentAs } from '../files/mayLeave.ts';
import { isOutside } from '../files/pathFrom.ts';
import { isFileName, isOfGit, transcriptName } from '../library/fileName.ts';
import type { LibraryEntry } from '../library/LibraryRecord.ts';
import { extensionOf, imageExtensions, outputExtensions } from '../operations/operations.ts';
import { type RecordingLength, recordingMinutes } from '../sound/readRecording.ts';
import { invalid } from './toolInput.ts';

export const maxDocumentBytes = 1_000_000;

/** A file that a request sends. A recording has a length. */
export interface SentFile extends AgreedFile, Partial<RecordingLength> {}

/** An asset of a library, and the workspace folder of the library. */
export interface RootedEntry {
  readonly root: string;
  readonly entry: LibraryEntry;
}

export function entryPath({ root, entry }: RootedEntry): string | undefined {
  return entry.file === undefined ? undefined : join(root, entry.file);
}

/** A local workspace folder. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** A file in the workspace. Its path has no symbolic links. */
export interface AgentFile extends SentFile {
  /** The first bytes: all of a document that can be spoken. */
  readonly head: Uint8Array;
}

/**
 * Resolves an input file that an agent names.
 *
 * @param value absolute, or relative to a workspace folder, whose name may come first in a multi-root workspace
 * @throws MediaError `invalidInput` unless it is a regular file inside the workspace after following links, and not a
 *   Git LFS pointer
 */
export async function inputFile(
  field: string,
  value: string,
  roots: readonly WorkspaceRoot[],
  as: SentAs,
): Promise<AgentFile> {
  for (const path of candidates(value, roots)) {
    if (!(await isNamedInside(path, roots))) continue;
    const unreadable = () => invalid(field, `"${field}": ${value} could not be read.`);
    const real = await realPath(path).catch(() => undefined);
    // A link may lead out. What is there is no agent's business.
    const inside = real === undefined ? undefined : await placeInside(real, roots);
    if (real === undefined || inside === undefined) continue;
    const facts = await stat(real);
    if (!facts.isFile()) throw invalid(field, `"${field}": ${value} is not a regular file. ${acceptedInputs}`);
    await using opened = await openOnce(real).catch(() => Promise.reject(unreadable()));
    // A folder of the path may have become a link before the file was opened.
    if ((await realPath(real).catch(() => undefined)) !== real) throw unreadable();
    const { head, ...content } = await readWithHead(opened).catch(() => Promise.reject(unreadable()));
    if (content.bytes < maxPointerBytes && pointedHash(head) !== undefined) {
      throw invalid(field, `"${field}": ${value} is a Git LFS pointer, not the file itself. Run "git lfs pull" first.`);
    }
    const root = real.slice(0, real.length - inside.length);
    const isIgnored = async () => (await ignoredByGit([real], root)).has(real);
    const refusal = await leavingProblem({ name: value, paths: [inside], as, head, isIgnored });
    if (refusal !== undefined) throw invalid(field, `"${field}": ${refusal}${as === 'document' ? ` ${inText}` : ''}`);
    // Measured through the handle: what is at the path by now may be another file.
    const length = as === 'recording' ? await recordingMinutes(real, opened.fd) : {};
    return { path: real, ...content, ...length, head };
  }
  throw invalid(field, `"${field}": ${value} is not a file in the workspace that can be read. ${acceptedInputs}`);
}

/** Reads a file, and keeps its first bytes, which are all of a document. */
async function readWithHead(opened: FileHandle) {
  const pieces: Uint8Array[] = [];
  let kept = 0;
  const content = await readContent(opened, (piece) => {
    if (kept <= maxDocumentBytes) pieces.push(Uint8Array.from(piece));
    kept += piece.length;
    return undefined;
  });
  return { ...content, head: Buffer.concat(pieces) };
}

const inText = 'Give the text in "text" instead.';
const acceptedInputs = 'Use a path in the workspace, or an asset_id from media_find_assets.';

/**
 * Resolves an output folder that an agent names.
 *
 * @throws MediaError `invalidInput` if it is outside the workspace, in a hidden folder, or cannot be a folder on every
 *   system
 */
export async function outputFolder(
  value: string,
  roots: readonly WorkspaceRoot[],
): Promise<{
  readonly root: WorkspaceRoot;
  /** Whether the agent names the root. */
  readonly isRootNamed: boolean;
  /** Relative to the root, with forward slashes; empty for the root itself. */
  readonly path: string;
}> {
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
  if (path.some(isHidden)) {
    throw invalid('folder', `"folder" must not lead into hidden folders such as .git, but ${value} does.`);
  }
  // A link inside the workspace may lead out of it or to its hidden files. What is there is no agent's business.
  const real = path.every(isFileName) ? await realFolder(join(root.path, ...path)) : undefined;
  const inside = real && relative(await realPath(root.path), real);
  if (inside === undefined || isOutside(inside) || inside.split(sep).some((segment) => segment.startsWith('.'))) {
    throw invalid('folder', `"folder": ${value} cannot be a folder. Use another one.`);
  }
  return { root, isRootNamed: named !== undefined, path: path.join('/') };
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

/** @throws MediaError `invalidInput` for the name of a text that agents or tools would read as their own */
export function checkNotRead(value: string): void {
  const name = outputName(value);
  if (transcriptName(name) === name) return;
  throw invalid(
    'file_name',
    `"file_name": ${value} would name the transcript like a file that agents or tools read as their own. Use another one.`,
  );
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name.toLowerCase() === 'git' || isOfGit(name);
}

export function candidates(value: string, roots: readonly WorkspaceRoot[]): readonly string[] {
  if (isAbsolute(value)) return [value];
  const [first = '', ...others] = value.replaceAll('\\', '/').split('/');
  const named =
    roots.length > 1 ? roots.filter(({ name }) => name === first).map(({ path }) => resolve(path, ...others)) : [];
  return [...named, ...roots.map(({ path }) => resolve(path, value))];
}

/**
 * Whether an agent may be shown what is in a saved file. A library that came with a folder may name a link to any file of
 * this computer. Undefined for a file that no longer exists.
 */
export async function isShowable(asset: RootedEntry, roots: readonly WorkspaceRoot[]): Promise<boolean | undefined> {
  const real = await realPath(entryPath(asset) ?? '').catch(() => undefined);
  if (real === undefined) return undefined;
  return (await placeInside(real, roots)) !== undefined && (await stat(real)).isFile();
}

/**
 * Whether a path lies in a workspace folder by its words alone. No other path is looked up, so that an agent does not
 * learn what is there, and Windows calls no other computer.
 */
export async function isNamedInside(path: string, roots: readonly WorkspaceRoot[]): Promise<boolean> {
  for (const root of roots) {
    const names = [root.path, await realPath(root.path).catch(() => root.path)];
    // Windows and macOS ignore case.
    if (names.some((name) => !isOutside(relative(name.toLowerCase(), path.toLowerCase())))) return true;
  }
  return false;
}

/**
 * Returns a path without links relative to the workspace folder that it is inside of; undefined for one outside of all, and
 * in `.git`.
 */
async function placeInside(path: string, roots: readonly WorkspaceRoot[]): Promise<string | undefined> {
  for (const root of roots) {
    const inside = relative(await realPath(root.path), path);
    if (!isOutside(inside) && inside !== '') return inside.split(sep).some(isOfGit) ? undefined : inside;
  }
  return undefined;
}

/**
 * Resolves the links of a folder whose last segments may not exist yet.
 *
 * @returns undefined if something else is in its way, such as a link to what does not exist. Below a file, Windows reports
 *   ENOENT where others report ENOTDIR.
 */
async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realPath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) return undefined;
    if (await lstat(path).catch(() => undefined)) return undefined;
    const parent = await realFolder(dirname(path));
    return parent && join(parent, basename(path));
  }
}
