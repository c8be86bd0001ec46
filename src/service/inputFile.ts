import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { pointerProblem } from '../files/lfsPointer.ts';
import { headOfFile } from '../files/readBytes.ts';
import { maxFurtherBytes } from '../operations/declarations.ts';
import { furtherFile } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import { detectMediaType, headBytes, notRecordingBecause } from '../operations/mediaType.ts';
import { type Field, field } from '../operations/operations.ts';
import { nameOf, unusable } from '../operations/validateRequest.ts';

const recordingField = field('transcribe', 'file');

/** A file that is sent as part of a request. */
export interface InputFile {
  /** Field of the request that the file is for. */
  readonly field: Field;
  /** Absolute path. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Checks that a file can be read and looks like a recording.
 *
 * @throws MediaError `invalidInput`, naming the field
 */
export function checkRecording(path: string): Promise<InputFile> {
  return checkInputFile(recordingField, path, notRecordingBecause);
}

/**
 * Checks that a file can be read and is accepted by its field.
 *
 * @param problemOf returns a sentence that says why the file is refused; undefined when it is accepted
 * @throws MediaError `invalidInput`, naming the field
 */
export async function checkInputFile(
  field: Field,
  path: string,
  problemOf: (name: string, head: Uint8Array) => Promise<string | undefined>,
): Promise<InputFile> {
  const name = basename(path);
  try {
    const status = await stat(path);
    if (!status.isFile()) throw unusable(field, l10n.t('{0} is not a file.', name));
    const head = await headOfFile(path, headBytes);
    const problem = pointerProblem(name, head) ?? (await problemOf(name, head));
    if (problem) throw unusable(field, problem);
    return { field, path, size: status.size };
  } catch (error) {
    throw error instanceof MediaError ? error : unreadable(field, path, error);
  }
}

/**
 * Reads a file in pieces that share two buffers: while a piece is used, the next one is read. Use each piece before
 * requesting the next.
 *
 * @throws MediaError `invalidInput`, naming the field; `mayBeBilled` when the file changed after it was opened
 */
export async function* piecesOf({ field, path, size }: InputFile, pieceBytes: number): AsyncGenerator<Uint8Array> {
  await using handle = await open(path).catch((cause: unknown) => {
    throw unreadable(field, path, cause);
  });
  const read = async (memory: Uint8Array, at: number) => {
    const piece = memory.subarray(0, size - at);
    for (let length = 0; length < piece.length; ) {
      const { bytesRead } = await handle.read(piece, length, piece.length - length, at + length).catch((cause) => {
        throw changed(field, path, cause);
      });
      if (bytesRead === 0) throw changed(field, path);
      length += bytesRead;
    }
    return piece;
  };
  let memory = Buffer.allocUnsafe(Math.min(size, pieceBytes));
  let spare = Buffer.allocUnsafe(Math.min(Math.max(size - pieceBytes, 0), pieceBytes));
  let next = read(memory, 0);
  for (let at = 0; at < size; ) {
    const piece = await next;
    at += piece.length;
    [memory, spare] = [spare, memory];
    next = read(memory, at);
    // If the caller stops early, nobody awaits this read.
    next.catch(() => undefined);
    yield piece;
  }
}

function unreadable(field: Field, path: string, cause: unknown): MediaError {
  const name = basename(path);
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  return unusable(field, missing ? l10n.t('{0} does not exist.', name) : l10n.t('{0} cannot be read.', name), cause);
}

function changed(field: Field, path: string, cause?: unknown): MediaError {
  const problem = l10n.t('{0} changed while it was being sent.', basename(path));
  return new MediaError('invalidInput', `${nameOf(field)}: ${problem}`, {
    field: field.name,
    mayBeBilled: true,
    cause,
  });
}

/** An image, or the file of a further field. */
export interface ImageFile extends InputFile {
  /** Media type, detected from the bytes. */
  readonly mime: string;
}

export function isFileUrl(value: unknown): value is string {
  return typeof value === 'string' && /^file:/i.test(value);
}

/**
 * Checks that a `file:` URL names an image that can be read.
 *
 * @throws MediaError `invalidInput`, naming the field
 */
export async function checkImage(field: Field, url: string): Promise<ImageFile> {
  let mime = '';
  const file = await checkInputFile(field, pathOf(field, url), async (name, head) => {
    mime = (await detectMediaType(head))?.mime ?? '';
    return mime.startsWith('image/') ? undefined : l10n.t('{0} is not an image.', name);
  });
  return { ...file, mime };
}

/**
 * Checks that a `file:` URL of a further field names a file that can be read and is not too large.
 *
 * @throws MediaError `invalidInput`, naming the field
 */
export async function checkFurtherFile(name: string, url: string): Promise<ImageFile> {
  const field = furtherFile(name);
  let mime = 'application/octet-stream';
  const file = await checkInputFile(field, pathOf(field, url), async (_, head) => {
    mime = (await detectMediaType(head))?.mime ?? mime;
    return undefined;
  });
  checkFurtherSize(field, basename(file.path), file.size);
  return { ...file, mime };
}

/** @throws MediaError `invalidInput`, naming the field, for a file that is too large for a further field */
export function checkFurtherSize(field: Field, name: string, size: number): void {
  if (size <= maxFurtherBytes) return;
  throw unusable(field, l10n.t('{0} is larger than {1} MB.', name, maxFurtherBytes / 1_000_000));
}

/** Returns the length of a file's base64 in characters. */
export function base64Length({ size }: InputFile): number {
  return 4 * Math.ceil(size / 3);
}

/** Gives 128 KiB of base64. Divisible by three, so that only the last piece is padded. */
const imagePieceBytes = 96 * 1024;
/** Bytes per encoded string. V8 would allocate longer strings outside the young generation, where they live longer. */
const stringBytes = 48 * 1024;

/** Encodes a file as base64, in pieces that share one buffer. Throws like {@link piecesOf}. */
export async function* base64Of(file: InputFile): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(Math.min(base64Length(file), (imagePieceBytes / 3) * 4));
  for await (const piece of piecesOf(file, imagePieceBytes)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let length = 0;
    for (let at = 0; at < bytes.length; at += stringBytes) {
      length += memory.write(bytes.toString('base64', at, at + stringBytes), length, 'latin1');
    }
    yield memory.subarray(0, length);
  }
}

function pathOf(field: Field, url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw unusable(field, l10n.t('{0} cannot be read.', url), cause);
  }
}
