import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { LocalFolder } from '../library/LocalFolder.ts';
import { temporaryName, withHash } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { ManifestProject } from './ManifestProject.ts';

export interface PlaceOptions {
  /** Names what the file is made of. */
  readonly key: string;
  /** Hash of the file that may be replaced; undefined where no file may be. */
  readonly replaces: string | undefined;
}

/**
 * Puts data at a path of the manifest.
 *
 * @returns the hash of the new file
 * @throws MediaError `save` also when another program has changed the file; then nothing has changed
 */
export async function placeOutput(
  { manifest, root, hashes, variants }: ManifestProject,
  path: string,
  data: AsyncIterable<Uint8Array>,
  { key, replaces }: PlaceOptions,
): Promise<string> {
  const target = join(manifest.folder, path);
  const folder = new LocalFolder(dirname(target), root);
  await folder.check();
  const hashed = withHash(data);
  const created = await folder.create(temporaryName(randomUUID()), hashed);
  const sha256 = hashed.sha256();
  try {
    hashes.changed(path);
    const found = await hashes.of(path);
    if (found !== undefined && found !== replaces) throw taken(path);
    await variants.notePlacing(key, sha256);
    // After a crash in between, what the file is made of still waits, and costs nothing.
    if (found !== undefined) await folder.remove(basename(target));
    if (!(await folder.moveIfAbsent({ ...created, sha256 }, basename(target)))) throw taken(path);
    return sha256;
  } catch (error) {
    await folder.remove(created.name).catch(() => undefined);
    throw error;
  } finally {
    hashes.changed(path);
  }
}

function taken(path: string): MediaError {
  const sentence = l10n.t('{0} was written by another program meanwhile, so it is left as it is.', path);
  return new MediaError('save', sentence);
}
