import { createHash, randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { FileContent } from '../library/Folder.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { temporaryName, withHash } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import { maxPointerBytes } from './FileHashes.ts';
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
  const name = basename(target);
  const folder = new LocalFolder(dirname(target), root);
  await folder.check();
  const hashed = withHash(data);
  const created = await folder.create(temporaryName(randomUUID()), hashed);
  const sha256 = hashed.sha256();
  const line = lineOf(sha256);
  try {
    const small = await smallContent(folder, name);
    hashes.changed(path);
    const found = await hashes.of(path);
    if (found !== undefined && found !== replaces) throw replacedMeanwhile(path);
    await variants.notePlacing(line);
    const complete = { ...created, sha256 };
    // The old file may be the only copy of paid results, so it stays until the new one replaces it.
    const isPlaced =
      found === undefined
        ? await folder.moveIfAbsent(complete, name)
        : await folder.replace(complete, name, small ?? { bytes: (await folder.size(name)) ?? 0, sha256: found });
    if (!isPlaced) throw replacedMeanwhile(path);
  } catch (error) {
    await folder.remove(created.name).catch(() => undefined);
    throw error;
  } finally {
    hashes.changed(path);
  }
  await project.changeLock(path, line);
}

/** Hashes a file that may be a Git LFS pointer, whose own hash differs from that in the lock. */
async function smallContent(folder: LocalFolder, name: string): Promise<FileContent | undefined> {
  const bytes = (await folder.size(name)) ?? maxPointerBytes;
  const data = bytes < maxPointerBytes ? await folder.read(name) : undefined;
  return data && { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

function replacedMeanwhile(path: string): MediaError {
  const sentence = l10n.t('{0} was changed by another program in the meantime, so it was not replaced.', path);
  return new MediaError('save', sentence);
}
