import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { heldError } from '../files/FileCalls.ts';
import type { FileContent } from '../files/Folder.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { maxPointerBytes, pointedHash, pointerProblem } from '../files/lfsPointer.ts';
import { sha256OfStream } from '../files/readBytes.ts';
import { hashOf } from '../files/sha256.ts';
import type { EncodedImage, ImageChange } from '../images/ImageChange.ts';
import { markPicture } from '../images/markPicture.ts';
import { enlargedSentence, formatByExtension, ImageError, transformImage } from '../images/transformImage.ts';
import { nameParts, slug } from '../library/fileName.ts';
import type { Library } from '../library/Library.ts';
import type { BesideFile, LibraryEntry, LibraryLine, RecordedMarks } from '../library/LibraryRecord.ts';
import { keptMarks } from '../library/recordedMarks.ts';
import { createHashed, inOnePiece, nameNew, temporaryName, withHash } from '../library/saveMedia.ts';
import { digitalSources } from '../marks/DigitalSource.ts';
import { marksIn } from '../marks/readMarks.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { isSameType } from '../operations/mediaType.ts';
import { extensionOf, operations } from '../operations/operations.ts';
import { captionsOf, spokenWords } from '../transcripts/captions.ts';
import { writeSubtitles } from '../transcripts/subtitles.ts';
import { readTimes } from '../transcripts/times.ts';
import { readTranscriptFile } from '../transcripts/transcriptIn.ts';
import { ownTranscript } from '../wholes/recordNarration.ts';
import type { Evaluated } from './Evaluation.ts';
import { ContentHash, hashedBy, hashIn, isText } from './FileHashes.ts';
import { keepLine, keptFolder } from './keptNarrations.ts';
import type { LockLine } from './Lock.ts';
import { type DerivedEntry, type Entry, keyOf, timesPathOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { sourceAt } from './provenance.ts';
import { variantName } from './Variants.ts';

export interface FinishOptions {
  readonly sandbox: boolean;
  readonly signal: AbortSignal;
  /** Whether pictures that are made here of generated ones say so; default: yes. */
  readonly marksGenerated?: boolean;
}

/**
 * Places a saved variant at the path of its entry and locks it.
 *
 * @param key name of the subfolder of variants
 * @param number starts at 1
 * @returns what the person should know of it; undefined if nothing
 * @throws MediaError `save` or `invalidInput`
 */
export async function finishAsset(
  project: ManifestProject,
  found: Evaluated,
  key: string,
  number: number,
  options: FinishOptions,
): Promise<string | undefined> {
  const { variants } = project;
  const { entry, origin, local } = found;
  const { sandbox } = options;
  if (entry.type !== 'request') return undefined;
  project.checkThere();
  const all = await variants.list(key);
  const variant = all.find((one) => one.number === number) ?? all[0];
  if (!variant)
    throw new MediaError('invalidInput', l10n.t('The variants of {0} are not on this computer.', entry.path));
  const staged = `${variants.pathOf(key)}/${variant.name}`;
  const known = (await project.library.entriesAt([staged, project.recorded(entry.path)])).findLast(
    ({ id, file }) => file === staged || id.endsWith(`/${staged}`),
  );
  const { data, marks, note } = await dataOf(project, variants.fileOf(key, variant), found, options);
  const isOneOfMany = all.length > 1;
  const isSame = !isOneOfMany && local === undefined && hasTypeOf(entry, variant.name);
  // Before it is placed: nothing would do this after a crash.
  if (!isSame && !sandbox) await variants.share(key);
  const { result: kind } = operations[entry.operation];
  const times = await variants.timesOf(key, variant);
  // Place the times first: once the file is locked, nothing seems left to do.
  const beside = times && (await placeTimes(project, entry.path, times));
  await placeOutput(project, entry.path, data, found.line?.output, (output) => ({
    path: entry.path,
    request: origin.request,
    inputs: origin.inputs,
    local,
    output,
    variant: isOneOfMany ? variant.number : undefined,
    videoId: known?.videoId,
    sandbox: sandbox ? true : undefined,
    // Parts of a long text were joined before.
    credentials: lostIn(kind === 'speech' && known ? known : marks),
  }));
  await recordMove(project, entry.path, staged, { times: beside, marks });
  // Keep the original unless it is identical to the placed file. One that cannot be removed does no harm.
  if (isSame) await variants.remove(key).catch(() => undefined);
  return note;
}

/**
 * Makes an asset locally, without a request.
 *
 * @returns what was done, for the user
 * @throws MediaError `save` or `invalidInput`
 */
export async function finishLocally(
  project: ManifestProject,
  found: Evaluated,
  options: FinishOptions,
): Promise<string> {
  const { entry, line, output, origin, local } = found;
  if (entry.type === 'derived') {
    const base = { path: entry.path, inputs: origin.inputs, local };
    if (entry.captions) {
      const captions = inOnePiece(await captionsFor(project, entry));
      await placeOutput(project, entry.path, captions, line?.output, (made) => ({ ...base, output: made }));
      return l10n.t('Made from {0}, without a request.', entry.from);
    }
    const note = await transform(project, entry.from, found, base, options);
    return withNote(l10n.t('Made from {0}, without a request.', entry.from), note);
  }
  // The lock line of an accepted file no longer says who made the results.
  const sandbox = line?.accepted ? options.sandbox : line?.sandbox === true;
  const key = project.variants.keyFor(entry.path, origin.request ?? '', sandbox);
  // An accepted file did not come from the variants, which may show something else.
  const isAccepted = line?.accepted === true && output !== undefined;
  if (!isAccepted) await project.variants.takeBack(key, line);
  if (!isAccepted && (await project.variants.list(key)).length > 0) {
    const note = await finishAsset(project, found, key, line?.variant ?? 1, { ...options, sandbox });
    return withNote(l10n.t('Made from its original, without a request.'), note);
  }
  const base = { ...line, path: entry.path, ...origin, local };
  const note = await transform(project, entry.path, found, base, options);
  const sentence = isAccepted
    ? l10n.t('The accepted file itself was resized. A copy of it is in .unified-media/variants/kept.')
    : l10n.t('Its original is not on this computer, so the file itself was resized.');
  return withNote(sentence, note);
}

/** Adds what {@link finishAsset} returned to what is said of an asset. */
export function withNote(sentence: string, note: string | undefined): string {
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** @throws MediaError `invalidInput` when the transcript has no times */
async function captionsFor({ hashes }: ManifestProject, { path, from }: DerivedEntry): Promise<Uint8Array> {
  const times = timesPathOf(from);
  const [textFile, timesFile] = [await existing(hashes, from), await existing(hashes, times)];
  const cues = readTimes(basename(timesFile), await readFile(timesFile));
  const paragraphs = readTranscriptFile(extensionOf(from), await readFile(textFile, 'utf8'), cues);
  const format = extensionOf(path) === 'srt' ? 'srt' : 'vtt';
  const captions = captionsOf(spokenWords(paragraphs, cues), format === 'srt').map(({ words: _, ...cue }) => cue);
  return Buffer.from(writeSubtitles(format, captions));
}

/** @throws MediaError `invalidInput` if there is no such file, or it cannot be used */
async function existing(hashes: ManifestProject['hashes'], path: string): Promise<string> {
  const file = (await hashes.of(path)) === undefined ? undefined : await hashes.locate(path);
  if (file === undefined) throw new MediaError('invalidInput', l10n.t('input {0} is missing', path));
  return file;
}

async function transform(
  project: ManifestProject,
  source: string,
  found: Evaluated,
  base: Omit<LockLine, 'output'>,
  options: FinishOptions,
): Promise<string | undefined> {
  const { entry, line } = found;
  const file = await existing(project.hashes, source);
  const { data, marks, note } = await dataOf(project, file, found, options, true);
  await placeOutput(project, entry.path, data, line?.output, (output) => ({
    ...base,
    output,
    credentials: lostIn(marks) ?? base.credentials,
  }));
  return note;
}

/** Returns what the lock says of marks that could not be kept. */
export function lostIn({ credentials }: RecordedMarks): LockLine['credentials'] {
  return credentials === 'lost' ? 'lost' : undefined;
}

/**
 * Reads a file, and crops, resizes or converts it as its entry requires.
 *
 * @returns with what was lost or written of marks, empty if the file is as it came, and what the person should know
 */
async function dataOf(
  project: ManifestProject,
  file: string,
  { entry, line }: Evaluated,
  { signal, marksGenerated = true }: FinishOptions,
  isForced = false,
): Promise<{ readonly data: AsyncIterable<Uint8Array>; readonly marks: RecordedMarks; readonly note?: string }> {
  const isPicture = entry.type === 'derived' || operations[entry.operation].result === 'images';
  if (!isPicture) {
    checkType(entry, file);
    return { data: createReadStream(file), marks: {} };
  }
  const isChanged = isForced || entry.size !== undefined || entry.quality !== undefined || !hasTypeOf(entry, file);
  if (!isChanged) return { data: createReadStream(file), marks: {} };
  const [width, height] = entry.size ?? [];
  const { quality, path } = entry;
  const change: ImageChange = { format: formatByExtension[extensionOf(path)], width, height, quality };
  const source = await readFile(file);
  const pointer = pointerProblem(basename(file), source);
  if (pointer !== undefined) throw new MediaError('invalidInput', pointer);
  const made = await transformImage(source, change, { signal }).catch((error: unknown) => {
    if (!(error instanceof ImageError)) throw error;
    throw new MediaError('invalidInput', `${basename(file)}: ${error.message}`, { field: error.field, cause: error });
  });
  const before = marksIn(source);
  const mark = marksGenerated ? (before.source ?? (await sourceAt(project, path))) : undefined;
  const { bytes } = lockedFile(made, line?.output) ?? (mark ? markPicture(made, mark) : made);
  return { data: inOnePiece(bytes), marks: keptMarks(before, marksIn(bytes)), note: enlargedSentence(made) };
}

/**
 * Returns the file exactly as the lock names it, with or without a mark. If a file that is made again with another
 * setting differed, everything made from it would have to be paid for again.
 */
function lockedFile(made: EncodedImage, output: string | undefined): EncodedImage | undefined {
  if (output === undefined) return undefined;
  const all = [made, ...digitalSources.map((source) => markPicture(made, source))];
  return all.find(({ bytes }) => hashOf(bytes) === output);
}

/** Whether a file has the type that the path of the entry requires. */
export function hasTypeOf({ path }: Entry, file: string): boolean {
  return isSameType(extensionOf(path), extensionOf(file));
}

/** @throws MediaError `save` if a file does not have the type that the path of the entry requires */
export function checkType(entry: Entry, file: string): void {
  if (hasTypeOf(entry, file)) return;
  const sentence = l10n.t(
    'The service returned a .{0} file, which cannot be saved as {1}. It is kept at {2}. Copy it to a path that ends in .{0}, use that path in the manifest, and accept it there (“accept” or “Keep”).',
    extensionOf(file),
    entry.path,
    file,
  );
  throw new MediaError('save', sentence);
}

/**
 * Saves the times of a transcript beside it. Replaces those of the transcript before it, unless someone has changed them.
 */
export async function placeTimes(project: ManifestProject, path: string, times: Uint8Array): Promise<BesideFile> {
  const { manifest, root, library } = project;
  const target = join(manifest.folder, path);
  const folder = new LocalFolder(dirname(target), root);
  await folder.check();
  const temporary = temporaryName(`${hashOf([path]).slice(0, 16)}-times`);
  await folder.remove(temporary);
  const created = await createHashed(folder, temporary, inOnePiece(times));
  const own = (await library.entriesAt([project.recorded(path)])).at(-1)?.times;
  const content = own && (await ownTranscript(folder, own.name, new Set([own.sha256])));
  const isReplaced = own && typeof content === 'object' && (await folder.replace(created, own.name, content));
  const name = isReplaced ? own.name : await nameNew(folder, created, nameParts(basename(target)).name, 'vtt');
  return { name, sha256: created.sha256 };
}

/** Records in the library that a result was placed, and that the file it replaced is gone. */
async function recordMove(
  project: ManifestProject,
  path: string,
  staged: string,
  { times, marks }: { readonly times: BesideFile | undefined; readonly marks: RecordedMarks },
): Promise<void> {
  const { library } = project;
  const file = project.recorded(path);
  const entries = await library.entriesAt([staged, file]);
  const lines = entries.flatMap((entry): readonly LibraryLine[] => {
    const original = entry.id.slice(entry.id.indexOf('/') + 1);
    if (original === staged || entry.file === staged) {
      const change = marksFor(entry, marks);
      return entry.file === file && !change.marks ? [] : [{ moved: entry.id, file, times, ...change }];
    }
    // The variant that was replaced is still in the folder of variants, also that of an earlier request.
    const isVariant = original.startsWith(`${project.variants.pathOf('')}/`);
    if (isVariant && existsSync(join(project.root, original))) {
      return [{ moved: entry.id, file: original, ...marksFor(entry, {}) }];
    }
    return linesForReplaced(entry);
  });
  await record(library, lines);
}

/** Returns the marks to record of a moved file, if they are not those of its record. */
function marksFor({ credentials, digitalSourceType }: LibraryEntry, marks: RecordedMarks) {
  const isChanged = credentials === 'lost' || digitalSourceType !== undefined;
  return isChanged || Object.keys(marks).length > 0 ? { marks } : {};
}

/**
 * Records that what was at a path before is gone.
 *
 * @param id of the record of the file that is there now
 */
export async function recordReplaced(project: ManifestProject, path: string, id: string): Promise<void> {
  const before = await project.library.entriesAt([project.recorded(path)]);
  await record(project.library, before.filter((entry) => entry.id !== id).flatMap(linesForReplaced));
}

function linesForReplaced({ id, file: _, ...record }: LibraryEntry): readonly LibraryLine[] {
  // A past video can be remixed even if its file is gone.
  return [...(record.videoId === undefined ? [] : [record]), { forgotten: id }];
}

export async function record(library: Library, lines: readonly LibraryLine[]): Promise<void> {
  try {
    if (lines.length > 0) await library.append(...lines);
  } catch (error) {
    throw new MediaError('save', l10n.t('The library could not be written ({0}).', reasonOf(error)), { cause: error });
  }
}

/**
 * Saves data at a path of the manifest and locks it. Of a file that it replaces, a copy stays with the variants, unless
 * it can be made again for free.
 *
 * @param replaces hash of the existing file, if it may be replaced; undefined to replace none
 * @param lineOf returns the lock line; called after all data has been read, when nothing stands in the way of the file
 * @throws MediaError `save`, also if another program has changed the file, which is then kept
 */
export async function placeOutput(
  project: ManifestProject,
  path: string,
  data: AsyncIterable<Uint8Array>,
  replaces: string | undefined,
  lineOf: (output: string, bytes: number) => LockLine | Promise<LockLine>,
): Promise<void> {
  const { manifest, root, hashes } = project;
  const target = join(manifest.folder, path);
  const name = basename(target);
  const folder = new LocalFolder(dirname(target), root);
  project.checkThere();
  await folder.check();
  const content = new ContentHash(path);
  const hashed = withHash(hashedBy(content, data));
  await project.removeTemporary(path);
  const created = await folder.create(project.temporaryFor(path), hashed);
  const output = content.hex();
  let line: LockLine;
  try {
    const onDisk = await contentOnDisk(folder, name);
    hashes.changed(path);
    const found = await hashes.of(path);
    if (found !== undefined && found !== replaces) throw replacedMeanwhile(path);
    line = await lineOf(output, created.bytes);
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
    throw heldError(path, error);
  } finally {
    hashes.changed(path);
  }
  await project.changeLock(path, line);
}

/** Hashes a file whose hash in the lock may be that of other bytes: a Git LFS pointer, or a text. */
async function contentOnDisk(folder: LocalFolder, name: string): Promise<FileContent | undefined> {
  const bytes = await folder.size(name);
  if (bytes === undefined || (bytes >= maxPointerBytes && !isText(name))) return undefined;
  return { bytes, sha256: await sha256OfStream(folder.stream(name)) };
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
  const line = project.lock.get(keyOf(path));
  if (line?.blocks) await keepLine(variants, place.name, line);
  await variants.share(place.folder, place.folder === keptFolder ? place.name : '');
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
  const line = lock.get(keyOf(path));
  const { request, local, blocks, variant = 1, sandbox, accepted } = line ?? {};
  const extension = extensionOf(path);
  const title = slug(nameParts(basename(path)).name);
  const aside = { folder: keptFolder, name: `${title || 'file'}-${sha256.slice(0, 12)}.${extension}` };
  if (accepted) return aside;
  if (request === undefined || sandbox) return undefined;
  const key = variants.keyFor(path, request, false);
  await variants.takeBack(key, line);
  const all = await variants.list(key);
  const original = all.find(({ number }) => number === variant);
  // The file is what its original was resized or converted to.
  if (original && (local !== undefined || !isSameType(extensionOf(original.name), extension))) return undefined;
  for (const { name } of all) {
    if ((await hashIn(variants.folderOf(key), name)) === sha256) return undefined;
  }
  // The parts of a narration are needed with their positions, so it is not one result.
  if (original || local !== undefined || blocks) return aside;
  // Keep its earlier name, by which the library still knows it.
  const [staged] = (await project.library.entriesAt([project.recorded(path)])).flatMap(({ id }) => {
    const first = id.slice(id.indexOf('/') + 1);
    return posix.dirname(first) === variants.pathOf(key) ? [posix.basename(first)] : [];
  });
  return { folder: key, name: staged ?? `${variantName}.${extension}` };
}

function isPointer(content: Uint8Array | undefined): boolean {
  return content !== undefined && pointedHash(Buffer.from(content)) !== undefined;
}

function replacedMeanwhile(path: string): MediaError {
  const sentence = l10n.t('{0} was changed by another program in the meantime, so it was not replaced.', path);
  return new MediaError('save', sentence);
}
