import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { canonicalRoot, pathOfRoot } from '../files/canonicalRoot.ts';
import type { PlaceReference } from './Job.ts';
import { valuesOf } from './Journals.ts';
import { type Noted, notedIn, notesOf } from './Notes.ts';

/** The folder that results go to. */
export type ResultFolder = Pick<PlaceReference, 'root' | 'path'>;

/** The root of a folder, and the folder itself where it is known. */
export type Around = Pick<PlaceReference, 'root'> & Partial<ResultFolder>;

/**
 * Returns the folders that can be the root of a place: `git init` in a folder above moves it there, and a window may
 * show a folder above or below.
 */
export function rootsOf({ root, path = '' }: Around, above = foldersAbove(root)): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const below = names.map((_, index) => [root, ...names.slice(0, index + 1).map(encodeURIComponent)].join('/'));
  return [root, ...below, ...above];
}

/** Returns the URIs of all folders that a root is in. */
export function foldersAbove(root: string): readonly string[] {
  const path = pathOfRoot(root);
  if (path === undefined || dirname(path) === path) return [];
  const above = pathToFileURL(dirname(path)).href;
  return [above, ...foldersAbove(above)];
}

/** Returns the notes in all folders that can be the root of a place. */
export async function notesAround(place: Around): Promise<readonly Noted[]> {
  return (await Promise.all(rootsOf(place).map(notedIn))).flat();
}

/** Returns the root that has the note of a request. */
export async function rootNoting(key: string, roots: readonly string[]): Promise<string | undefined> {
  for (const root of roots) if (await notesOf(root)?.has(key)) return root;
  return undefined;
}

/** Returns the absolute path of a place, which neither `git init` in a folder above nor a link on the way changes. */
export async function folderFor({ root, path }: ResultFolder): Promise<string> {
  const base = pathOfRoot(root);
  if (base === undefined) return join(await canonicalRoot(root), path);
  let [folder, rest] = [join(base, path), ''];
  // Links are resolved as far as the path exists.
  for (; !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder))
    rest = join(basename(folder), rest);
  return join(await canonicalRoot(pathToFileURL(folder).href), rest);
}

/** Returns the absolute path of the manifest that a request was sent for, if it was sent for one on this computer's disks. */
export function manifestOf({ root, manifest }: PlaceReference): string | undefined {
  const path = pathOfRoot(root);
  return path === undefined || manifest === undefined ? undefined : join(path, manifest);
}

/** Folders whose works a program looks after, however their URIs are written. */
export class OwnRoots {
  readonly #own: Promise<readonly string[]>;
  readonly #names = new Map<string, Promise<string>>();

  constructor(roots: readonly string[]) {
    this.#own = Promise.all(roots.map((root) => canonicalRoot(root)));
  }

  async include(root: string): Promise<boolean> {
    const name = this.#names.get(root) ?? canonicalRoot(root);
    this.#names.set(root, name);
    return (await this.#own).includes(await name);
  }

  /** Whether the text of a journal may be that of a work for one of them. */
  async includeAny(text: string): Promise<boolean> {
    for (const root of valuesOf(text, 'root')) if (await this.include(root)) return true;
    return false;
  }
}
