import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { type CreatedFile, type FileContent, type Folder, hasFile } from '../files/Folder.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { MarkReader, type Marks } from '../marks/readMarks.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { detectMediaType, fitsKind, headBytes, isSameType, isText, type MediaType } from '../operations/mediaType.ts';
import type { AssetKind } from '../operations/operations.ts';
import { numberedName } from './fileName.ts';
import type { Library } from './Library.ts';
import type { Asset, LibraryRecord, RecordedMarks } from './LibraryRecord.ts';
import { arrivedMarks, keptMarks } from './recordedMarks.ts';

/** Something that stands before the root element of a document: white space, an instruction, a comment or its type. */
const prologue = /\s+|<\?[^>]*>|<!--[\s\S]*?-->|<!doctype[^>]*>/iy;
const svg = /<svg[\s>]/iy;
const webPage = /<(?:html|head|body)[\s>]/iy;

/**
 * Describes data of no known media type to a person.
 *
 * @param head the first bytes
 * @param announced media type that the service announced
 */
export function describeData(head: Uint8Array, announced = ''): string {
  if (head.length === 0) return l10n.t('nothing');
  const text = decodeText(head);
  if (text !== undefined) {
    const root = rootOf(text);
    if (isAt(svg, text, root)) return l10n.t('an SVG drawing, which may hold scripts,');
    const isPage = isAt(webPage, text, root) || /^\s*<!doctype html/i.test(text);
    return isPage ? l10n.t('a web page') : l10n.t('text');
  }
  const [type] = /^[a-z]+\/[\w.+-]+/i.exec(announced) ?? [];
  if (type) return l10n.t('data of an unknown type (“{0}”)', type);
  return l10n.t('data of an unknown type');
}

/** Returns the offset of a document's root element. One pattern for all that precedes it takes exponential time. */
function rootOf(text: string): number {
  let at = 0;
  while (isAt(prologue, text, at)) at = prologue.lastIndex;
  return at;
}

/** @param pattern a sticky pattern */
function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function decodeText(head: Uint8Array): string | undefined {
  try {
    // `stream` allows an incomplete character at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Larger files are not converted, because conversion holds them in memory. */
const maxConvertedBytes = 64 * 2 ** 20;

/** Size, hash and type of a file. */
export interface FileFacts {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
}

export interface SavedFile extends FileFacts {
  /** Name in the folder. */
  readonly name: string;
  readonly marks?: RecordedMarks;
}

export interface SaveMediaOptions {
  /** Requested name, without extension. */
  readonly name: string;
  /** Requested extension, without the dot. It is used only if the bytes have that type or can be converted to it. */
  readonly extension?: string;
  /** Called when the bytes have another type than `extension`. */
  readonly convert?: ConvertBytes;
  /** Returns what a converted file says that it is. */
  readonly sourceOf?: () => Promise<DigitalSource | undefined>;
  readonly kind: AssetKind;
  /** Id for the name of the temporary file; must differ for each attempt. */
  readonly id: string;
  /** Type of text that the extension wrote itself. All other types are detected from the bytes. */
  readonly type?: MediaType;
  /** Extension of a file that will stand beside it: a name is free only if both are. */
  readonly beside?: string;
  /** Media type that was announced or asked for; used only for sound without a signature, such as raw PCM. */
  readonly announced?: string;
  /**
   * Called before each attempt to give the file its final name. If the callback stores the name, `hasFile` shows after
   * a crash whether the file got it.
   */
  readonly onNaming?: (name: string, facts: Omit<SavedFile, 'name'>) => Promise<void>;
  /**
   * Called with a complete result of another kind than expected, such as an SVG, so that it can be kept. `data` can be
   * read until the promise resolves; `mediaType` is undefined for an unknown type.
   */
  readonly onUnknownType?: (data: AsyncIterable<Uint8Array>, facts: UnknownFile) => Promise<void>;
  /** Called with a complete result that cannot get its name, so that it can be kept; otherwise as `onUnknownType`. */
  readonly onUnnamed?: (data: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Converts a file to the type of an extension. Resolves to undefined when that is not possible. */
export type ConvertBytes = (
  bytes: Uint8Array,
  extension: string,
  mark: DigitalSource | undefined,
) => Promise<Uint8Array | undefined>;

interface UnknownFile extends Omit<FileFacts, 'mediaType'> {
  readonly mediaType: string | undefined;
}

/** Data with a running hash (hexadecimal) of everything read so far. */
export interface HashedData extends AsyncIterable<Uint8Array> {
  sha256(): string;
}

/**
 * Saves a medium under a new name: streams it to a hidden temporary file, which gets its final name when it is
 * complete. The bytes determine the type and so the extension. Never replaces an existing file.
 *
 * @throws MediaError `download` when the bytes are not of the expected kind, `save` when they cannot be written; errors
 *   of `data` and of the callbacks are thrown unchanged. The temporary file is left only if it is complete but could
 *   not be named or kept; the error then says where it is.
 */
export async function saveMedia(
  folder: Folder,
  data: AsyncIterable<Uint8Array> | HashedData,
  options: SaveMediaOptions,
): Promise<SavedFile> {
  const measured = measure(data);
  const created = await createFile(folder, temporaryName(options.id), measured.data);
  const { head, bytes, sha256, marks } = measured.result();
  const found = options.type ?? (await detectMediaType(head));
  const type = options.type ?? acceptedType(found, head, options);
  if (!type) throw await refuse(folder, created.name, { head, bytes, sha256, mediaType: found?.mime }, options);
  const written = { created, type, facts: { mediaType: type.mime, bytes, sha256 }, marks };
  const { extension = type.extension } = options;
  if (isSameType(extension, type.extension)) return named(folder, written, extension, options);
  const converted = await convertFile(folder, written, extension, options);
  return converted ? named(folder, converted, extension, options) : named(folder, written, type.extension, options);
}

/** A complete file with its temporary name. */
interface WrittenFile {
  readonly created: CreatedFile;
  readonly type: MediaType;
  readonly facts: FileFacts;
  readonly marks: Marks;
  /** Those of what was converted. */
  readonly marksBefore?: Marks;
}

async function named(
  folder: Folder,
  { created, facts, ...found }: WrittenFile,
  extension: string,
  options: SaveMediaOptions,
): Promise<SavedFile> {
  const marks = found.marksBefore ? keptMarks(found.marksBefore, found.marks) : arrivedMarks(found.marks);
  const all = { ...facts, ...(Object.keys(marks).length > 0 ? { marks } : {}) };
  const onNaming = (name: string) => options.onNaming?.(name, all);
  const content = { ...created, sha256: facts.sha256 };
  return { name: await takeName(folder, content, extension, { ...options, onNaming }), ...all };
}

/** Replaces a file by a converted one. Returns undefined when it cannot be converted, or there is no room for both. */
async function convertFile(
  folder: Folder,
  { created, facts, marks: marksBefore }: WrittenFile,
  extension: string,
  { convert, sourceOf, id }: SaveMediaOptions,
): Promise<WrittenFile | undefined> {
  if (!convert || facts.bytes > maxConvertedBytes) return undefined;
  const source = marksBefore.source ?? (await sourceOf?.());
  const bytes = await convert(await readAll(folder.stream(created.name)), extension, source);
  const type = bytes && (await detectMediaType(bytes.subarray(0, headBytes)));
  if (!bytes || !type || !isSameType(extension, type.extension)) return undefined;
  const measured = measure(inOnePiece(bytes));
  const made = createFile(folder, temporaryName(`${id}-converted`), measured.data);
  const converted = await made.catch(() => undefined);
  if (!converted) return undefined;
  await folder.remove(created.name).catch(() => undefined);
  const { bytes: size, sha256, marks } = measured.result();
  return { created: converted, type, facts: { mediaType: type.mime, bytes: size, sha256 }, marks, marksBefore };
}

async function readAll(data: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // Copy each chunk, because the next one may reuse its memory.
  for await (const chunk of data) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

/** Yields all bytes at once, for functions that take a stream. */
export async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

/** Returns the hidden name of a file that is being saved. */
export function temporaryName(id: string): string {
  return `.${id}.part`;
}

async function createFile(folder: Folder, name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
  let broken: unknown;
  const watched = rethrowing(data, (error) => (broken = error));
  try {
    return await folder.create(name, watched);
  } catch (error) {
    if (error === broken) throw error;
    await finish(data);
    if (error instanceof MediaError) throw error;
    const sentence = l10n.t('The result cannot be saved in {0}: {1}.', folder.uri, reasonOf(error));
    throw new MediaError('save', sentence, { cause: error });
  }
}

/** Ends data that is no longer needed, so that its connection is closed. */
async function finish(data: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of data) break;
  } catch {
    // It has ended, as intended.
  }
}

/** Reports an error of the data, to distinguish it from an error of the folder. */
async function* rethrowing(data: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  try {
    yield* data;
  } catch (error) {
    onError(error);
    throw error;
  }
}

async function takeName(
  folder: Folder,
  created: CreatedFile,
  extension: string,
  {
    name: baseName,
    beside,
    onNaming,
    onUnnamed,
  }: Pick<SaveMediaOptions, 'name' | 'beside' | 'onUnnamed'> & { onNaming(name: string): Promise<void> | undefined },
): Promise<string> {
  try {
    for (let number = 1; ; number++) {
      const name = numberedName(baseName, extension, number);
      // Skip taken names before the journal records them.
      if ((await folder.size(name)) !== undefined) continue;
      if (beside && (await folder.size(numberedName(baseName, beside, number))) !== undefined) continue;
      await onNaming(name);
      if (await folder.moveIfAbsent(created, name)) return name;
    }
  } catch (error) {
    if (error instanceof MediaError) throw error;
    const isKept = await keepUnnamed(folder, created.name, onUnnamed);
    const sentence = isKept
      ? l10n.t('The result is complete, but could not be renamed ({0}).', reasonOf(error))
      : l10n.t(
          'The result is complete, but could not be renamed. It is saved as {0} ({1}).',
          folder.uriOf(created.name),
          reasonOf(error),
        );
    throw new MediaError('save', sentence, { cause: error });
  }
}

/** Keeps a complete file, and removes it from the folder. @returns false if it is still there */
async function keepUnnamed(
  folder: Folder,
  temporary: string,
  onUnnamed: SaveMediaOptions['onUnnamed'],
): Promise<boolean> {
  if (!onUnnamed) return false;
  try {
    await onUnnamed(folder.stream(temporary));
    await folder.remove(temporary);
    return true;
  } catch {
    return false;
  }
}

/**
 * Gives the file the first free name. Reuses a file with the same content that no record names, which an interrupted
 * attempt has left.
 */
export async function nameNew(
  folder: Folder,
  created: CreatedFile & FileContent,
  name: string,
  extension: string,
  isRecorded: (target: string) => Promise<boolean> = async () => false,
): Promise<string> {
  for (let number = 1; ; number++) {
    const target = numberedName(name, extension, number);
    if ((await hasFile(folder, target, created)) && !(await isRecorded(target))) {
      await folder.remove(created.name);
      return target;
    }
    if ((await folder.size(target)) === undefined && (await folder.moveIfAbsent(created, target))) return target;
  }
}

/** Creates a file and returns its hash, too. */
export async function createHashed(
  folder: Folder,
  name: string,
  data: AsyncIterable<Uint8Array>,
): Promise<CreatedFile & FileContent> {
  const hashed = withHash(data);
  const created = await folder.create(name, hashed);
  return { ...created, sha256: hashed.sha256() };
}

/**
 * Saves bytes that are in memory, or leaves no file.
 *
 * @param place gives the created file its name
 * @param sentence says what was not saved, with the reason
 * @throws MediaError `save`
 */
export async function saveBytes<T>(
  folder: Folder,
  bytes: Uint8Array,
  place: (created: CreatedFile & FileContent) => Promise<T>,
  sentence: (reason: string) => string,
): Promise<T> {
  const temporary = temporaryName(crypto.randomUUID());
  try {
    return await place(await createHashed(folder, temporary, inOnePiece(bytes)));
  } catch (error) {
    await folder.remove(temporary).catch(() => undefined);
    if (error instanceof MediaError) throw error;
    throw new MediaError('save', sentence(reasonOf(error)), { cause: error });
  }
}

/** Returns the type to save a result as; undefined if it is not of the expected kind. */
function acceptedType(
  found: MediaType | undefined,
  head: Uint8Array,
  { kind, announced = '' }: SaveMediaOptions,
): MediaType | undefined {
  if (found) return fitsKind(found, kind) ? found : undefined;
  const isPcm = kind === 'speech' && /^audio\/(pcm|l16|x-pcm|basic)/.test(announced);
  return isPcm && head.length > 0 && !isText(head) ? { mime: 'audio/pcm', extension: 'pcm' } : undefined;
}

/** Keeps the bytes of a result that is not of the expected kind. @returns the error that says so */
async function refuse(
  folder: Folder,
  temporary: string,
  { head, ...facts }: UnknownFile & { readonly head: Uint8Array },
  { kind, announced, onUnknownType }: SaveMediaOptions,
): Promise<MediaError> {
  const mistake = describeMistake(kind, facts.mediaType ?? describeData(head, announced));
  const refusal = (sentence: string, cause?: unknown) =>
    new MediaError('download', `${mistake} ${sentence}`, { cause });
  const isKept = facts.bytes > 0 && onUnknownType !== undefined;
  if (isKept) {
    try {
      await onUnknownType(folder.stream(temporary), facts);
    } catch (error) {
      const uri = folder.uriOf(temporary);
      const sentence = l10n.t(
        "The result is saved as {0}; the extension's own storage could not take it ({1}).",
        uri,
        reasonOf(error),
      );
      return refusal(sentence, error);
    }
  }
  // Ignore errors: the folder may be gone.
  await folder.remove(temporary).catch(() => undefined);
  return refusal(
    isKept ? l10n.t('The data is kept. To get it as a file, choose “Save Raw Answer…”.') : l10n.t('It was not saved.'),
  );
}

function describeMistake(kind: AssetKind, found: string): string {
  switch (kind) {
    case 'images':
      return l10n.t('The service returned {0} instead of an image.', found);
    case 'speech':
      return l10n.t('The service returned {0} instead of audio.', found);
    case 'transcripts':
      return l10n.t('The service returned {0} instead of text.', found);
    case 'videos':
      return l10n.t('The service returned {0} instead of a video.', found);
  }
}

/** Passes data on and measures its size, hash, marks and, as `head`, first bytes. */
function measure(data: AsyncIterable<Uint8Array> | HashedData) {
  const hashed = 'sha256' in data ? data : withHash(data);
  const heads: Uint8Array[] = [];
  const reader = new MarkReader();
  let bytes = 0;
  async function* passing() {
    for await (const chunk of hashed) {
      if (bytes < headBytes) heads.push(Uint8Array.from(chunk.subarray(0, headBytes - bytes)));
      bytes += chunk.length;
      reader.feed(chunk);
      yield chunk;
    }
  }
  return {
    data: passing(),
    result: () => ({ head: Buffer.concat(heads), bytes, sha256: hashed.sha256(), marks: reader.end() }),
  };
}

/** Hashes data while it is read; each chunk is hashed before it is passed on. */
export function withHash(data: AsyncIterable<Uint8Array>): HashedData {
  const hash = createHash('sha256');
  async function* passing() {
    for await (const chunk of data) {
      hash.update(chunk);
      yield chunk;
    }
  }
  return Object.assign(passing(), { sha256: () => hash.copy().digest('hex') });
}

/** Adds a saved file to the library. @throws MediaError `save` */
export async function record(
  place: { readonly library: Pick<Library, 'append'>; recordedName(file: string): string },
  file: string,
  { uri, ...facts }: Asset,
  own: Partial<Pick<LibraryRecord, 'inputs' | 'madeFrom' | 'sandbox' | 'times' | 'usage' | 'values'>> & RecordedMarks,
): Promise<void> {
  try {
    await place.library.append({ file: place.recordedName(file), ...facts, ...own });
  } catch (error) {
    throw new MediaError(
      'save',
      l10n.t('The result was saved as {0}, but could not be added to the library: {1}.', uri, reasonOf(error)),
      { cause: error },
    );
  }
}
