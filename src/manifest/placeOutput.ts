import { createHash, randomUUID } from 'node:crypto';
import { basename, dirname, join, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hasCode } from '../library/FileCalls.ts';
import type { FileContent } from '../library/Folder.ts';
import { nameParts, slug } from '../library/fileName.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { temporaryName, withHash } from '../library/saveMedia.ts';
import { extensionOf } from '../operations/fileExtensions.ts';
import { maxPointerBytes, pointedHash } from '../operations/lfsPointer.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { isSameType } from '../operations/mediaType.ts';
import { ContentHash, isText } from './FileHashes.ts';
import type { LockLine } from './Lock.ts';
import { keyOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { variantName } from './Variants.ts';

export interface PlaceOptions {
  /** Hash of the existing file, if it may be replaced; undefined to replace none. */
  readonly replaces: string | undefined;
  /** Returns the lock line. Called with the hash of the output after all data has been read. */
  lineOf(output: string): LockLine;
}

/**
 * Saves data at a path of the manifest and locks it. Of a file that it replaces, a copy stays with the variants, unless
 * it can be made again for free.
 *
 * @throws MediaError `save`, also if another program has changed the file, which is then kept
 */
export async function placeOutput(
  project: ManifestProject,
  path: string,
  data: AsyncIterable<Uint8Array>,
  { replaces, lineOf }: PlaceOptions,
): Promise<void> {
  const { manifest, root, hashes } = project;
  const target = join(manifest.folder, path);
  const name = basename(target);
  const folder = new LocalFolder(dirname(target), root);
  await folder.check();
  const content = new ContentHash(path);
  const hashed = withHash(hashedBy(content, data));
  await project.removeTemporary(path);
  const created = await folder.create(project.temporaryFor(path), hashed);
  const output = content.hex();
  const line = lineOf(output);
  try {
    const onDisk = await contentOnDisk(folder, name);
    hashes.changed(path);
    const found = await hashes.of(path);
    if (found !== undefined && found !== replaces) throw replacedMeanwhile(path);
    const isSame = found === output && line.request === project.lock.get(keyOf(path))?.request;
    if (found !== undefined && !isSame) await keepReplaced(project, path, found);
    await project.notePlacing(line);
    const complete = { ...created, sha256: hashed.sha256() };
    // The old file may be the only copy of paid results, so it stays until the new one replaces it.
    const isPlaced =
      found === undefined
        ? await folder.moveIfAbsent(complete, name)
        : await folder.replace(complete, name, onDisk ?? { bytes: (await folder.size(name)) ?? 0, sha256: found });
    if (!isPlaced) throw replacedMeanwhile(path);
  } catch (error) {
    await folder.remove(created.name).catch(() => undefined);
    throw hasCode(error, ...heldCodes) ? held(path, error) : error;
  } finally {
    hashes.changed(path);
  }
  await project.changeLock(path, line);
}

/** Hashes a file whose hash in the lock may be that of other bytes: a Git LFS pointer, or a text. */
async function contentOnDisk(folder: LocalFolder, name: string): Promise<FileContent | undefined> {
  const bytes = await folder.size(name);
  if (bytes === undefined || (bytes >= maxPointerBytes && !isText(name))) return undefined;
  const digest = createHash('sha256');
  for await (const chunk of folder.stream(name)) digest.update(chunk);
  return { bytes, sha256: digest.digest('hex') };
}

async function* hashedBy(content: ContentHash, data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of data) {
    content.update(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    yield chunk;
  }
}

/** Copies a file that is about to be replaced into the folder of variants, unless it can be made again for free. */
async function keepReplaced(project: ManifestProject, path: string, sha256: string): Promise<void> {
  const { manifest, root, variants } = project;
  const file = join(manifest.folder, path);
  const name = basename(file);
  const source = new LocalFolder(dirname(file), root);
  // The content of a Git LFS pointer is elsewhere.
  if (((await source.size(name)) ?? 0) < maxPointerBytes && isPointer(await source.read(name))) return;
  const place = await placeForReplaced(project, path, sha256);
  if (!place) return;
  const folder = variants.folderOf(place.folder);
  await folder.check();
  const content = new ContentHash(path);
  const hashed = withHash(hashedBy(content, source.stream(name)));
  const created = await folder.create(temporaryName(randomUUID()), hashed);
  try {
    if (content.hex() !== sha256) throw replacedMeanwhile(path);
    await folder.moveIfAbsent({ ...created, sha256: hashed.sha256() }, place.name);
  } finally {
    await folder.remove(created.name).catch(() => undefined);
  }
}

/**
 * Returns where a file is kept: the untouched result of a request as a variant of it, so that going back to that
 * request is free, and any other file under a name that no variant has.
 *
 * @returns undefined if the file can be made again for free
 */
async function placeForReplaced(
  project: ManifestProject,
  path: string,
  sha256: string,
): Promise<{ readonly folder: string; readonly name: string } | undefined> {
  const { variants, lock } = project;
  const { request, local, blocks, variant = 1, sandbox, accepted } = lock.get(keyOf(path)) ?? {};
  const extension = extensionOf(path);
  const title = slug(nameParts(basename(path)).name);
  const aside = { folder: 'kept', name: `${title || 'file'}-${sha256.slice(0, 12)}.${extension}` };
  if (accepted) return aside;
  if (request === undefined || sandbox) return undefined;
  const key = variants.keyFor(path, request, false);
  const all = await variants.list(key);
  const original = all.find(({ number }) => number === variant);
  // The file is what its original was resized or converted to.
  if (original && (local !== undefined || !isSameType(extensionOf(original.name), extension))) return undefined;
  for (const { name } of all) {
    if ((await hashIn(variants.folderOf(key), name)) === sha256) return undefined;
  }
  // The parts of a narration are needed with their positions, so it is not one result.
  if (original || local !== undefined || blocks) return aside;
  // Under the name that it had, the library still knows it.
  const [staged] = (await project.library.entriesAt([project.recorded(path)])).flatMap(({ id }) => {
    const first = id.slice(id.indexOf('/') + 1);
    return posix.dirname(first) === variants.pathOf(key) ? [posix.basename(first)] : [];
  });
  return { folder: key, name: staged ?? `${variantName}.${extension}` };
}

async function hashIn(folder: LocalFolder, name: string): Promise<string> {
  const content = new ContentHash(name);
  for await (const _ of hashedBy(content, folder.stream(name)));
  return content.hex();
}

function isPointer(content: Uint8Array | undefined): boolean {
  return content !== undefined && pointedHash(Buffer.from(content)) !== undefined;
}

/** Error codes on Windows while another program has a file open, or the file is read-only. */
const heldCodes = ['EPERM', 'EACCES', 'EBUSY'];

function held(path: string, cause: unknown): MediaError {
  const sentence = l10n.t(
    '{0} could not be replaced: another program has it open, or it is read-only ({1}). The result is kept. Close that program or make the file writable, and try again; nothing is sent again.',
    path,
    reasonOf(cause),
  );
  return new MediaError('save', sentence, { cause });
}

function replacedMeanwhile(path: string): MediaError {
  const sentence = l10n.t('{0} was changed by another program in the meantime, so it was not replaced.', path);
  return new MediaError('save', sentence);
}
