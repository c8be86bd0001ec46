import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { LocalFolder } from '../library/LocalFolder.ts';
import { temporaryName, withHash } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { LockLine } from './Lock.ts';
import type { ManifestProject } from './ManifestProject.ts';

export interface PlaceOptions {
  /** Hash of the existing file, if it may be replaced; undefined to replace none. */
  readonly replaces: string | undefined;
  /** Returns the lock line. Called with the hash of the output after all data has been read. */
  lineOf(output: string): LockLine;
}

/**
 * Saves data at a path of the manifest and locks it.
 *
 * @throws MediaError `save`, also if another program has changed the file, which is then kept
 */
export async function placeOutput(
  project: ManifestProject,
  path: string,
  data: AsyncIterable<Uint8Array>,
  { replaces, lineOf }: PlaceOptions,
): Promise<void> {
  const { manifest, root, hashes, variants } = project;
  const target = join(manifest.folder, path);
  const folder = new LocalFolder(dirname(target), root);
  await folder.check();
  const hashed = withHash(data);
  const created = await folder.create(temporaryName(randomUUID()), hashed);
  const sha256 = hashed.sha256();
  const line = lineOf(sha256);
  try {
    hashes.changed(path);
    const found = await hashes.of(path);
    if (found !== undefined && found !== replaces) throw replacedMeanwhile(path);
    await variants.notePlacing(line);
    // After a crash in between, the original is still in the folder of variants, so nothing is paid twice.
    if (found !== undefined) await folder.remove(basename(target));
    if (!(await folder.moveIfAbsent({ ...created, sha256 }, basename(target)))) throw replacedMeanwhile(path);
  } catch (error) {
    await folder.remove(created.name).catch(() => undefined);
    throw error;
  } finally {
    hashes.changed(path);
  }
  await project.changeLock(path, line);
  await variants.placed(path);
}

function replacedMeanwhile(path: string): MediaError {
  const sentence = l10n.t('{0} was changed by another program in the meantime, so it was not replaced.', path);
  return new MediaError('save', sentence);
}
