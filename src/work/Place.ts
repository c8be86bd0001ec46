import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { pathOfRoot } from '../files/canonicalRoot.ts';
import type { Folder } from '../files/Folder.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { Library } from '../library/Library.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { PlaceReference } from './Job.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  readonly library: Library;
  /** Returns a saved file's name in the library: its path in the workspace folder, with forward slashes. */
  recordedName(name: string): string;
  /**
   * Returns the link target for a local file in a Markdown document of this folder, not percent-encoded; undefined when
   * a relative path works.
   */
  linkTo?(file: string): Promise<string | undefined>;
}

/** Checks that files and their records can be written. Throws MediaError `save`. */
export async function checkPlace({ folder, library }: Place): Promise<void> {
  await folder.check();
  await library.check();
}

/**
 * Checks that the manifest that a result is for is still there. When its folder was renamed, or another branch is checked
 * out, a result that is saved where it was would be missing where it is, and be paid for again.
 *
 * @throws MediaError `save`
 */
export function checkManifest({ root, manifest }: Pick<PlaceReference, 'root' | 'manifest'>): void {
  const folder = pathOfRoot(root);
  if (manifest === undefined || folder === undefined || existsSync(join(folder, manifest))) return;
  const sentence = l10n.t(
    '{0} is no longer there: it was moved or removed, or another branch is checked out. Nothing that was paid for is lost. Start again once it is back, or where it was moved to.',
    manifest,
  );
  throw new MediaError('save', sentence, { field: 'manifest' });
}

/** Removes the temporary files that interrupted attempts of a job have left in its target folder. */
export async function removeAttempts({ folder }: Place, jobId: string): Promise<void> {
  const names = await folder.list();
  const left = names.filter((name) => name.startsWith(`.${jobId}-`) && name.endsWith('.part'));
  await Promise.all(left.map((name) => folder.remove(name)));
}

/** Creates the folder of a place if it is missing, but not its root. @returns false if it cannot be written */
export function canMake({ folder }: Place): Promise<boolean> {
  return folder.check().then(
    () => true,
    () => false,
  );
}

/** Returns the folder of a part's work as a place. Nothing is recorded for a part. */
export function placeOfPart(path: string): Place {
  const folder = new LocalFolder(path, undefined);
  return { folder, library: new Library(folder), recordedName: (name) => name };
}
