import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Field } from '../operations/Field.ts';
import { pointerProblem } from '../operations/lfsPointer.ts';
import { MediaError } from '../operations/MediaError.ts';
import { headBytes, notRecordingBecause } from '../operations/mediaType.ts';
import { operations } from '../operations/operations.ts';
import { nameOf, unusable } from '../operations/validateRequest.ts';

const [, recordingField] = operations.transcribe.fields;

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
    await using handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const head = buffer.subarray(0, bytesRead);
    const problem = pointerProblem(name, head) ?? (await problemOf(name, head));
    if (problem) throw unusable(field, problem);
    return { field, path, size: status.size };
  } catch (error) {
    throw error instanceof MediaError ? error : unreadable(field, path, error);
  }
}

/**
 * Reads a file in pieces that share one buffer: use each piece before requesting the next.
 *
 * @throws MediaError `invalidInput`, naming the field; `mayBeBilled` when the file changed after it was opened
 */
export async function* piecesOf({ field, path, size }: InputFile, pieceBytes: number): AsyncGenerator<Uint8Array> {
  await using handle = await open(path).catch((cause: unknown) => {
    throw unreadable(field, path, cause);
  });
  const memory = Buffer.allocUnsafe(Math.min(size, pieceBytes));
  for (let at = 0; at < size; at += memory.length) {
    const piece = memory.subarray(0, size - at);
    for (let length = 0; length < piece.length; ) {
      const { bytesRead } = await handle.read(piece, length, piece.length - length, at + length).catch((cause) => {
        throw changed(field, path, cause);
      });
      if (bytesRead === 0) throw changed(field, path);
      length += bytesRead;
    }
    yield piece;
  }
}

function unreadable(field: Field, path: string, cause: unknown): MediaError {
  const name = basename(path);
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  return unusable(field, missing ? l10n.t('{0} does not exist.', name) : l10n.t('{0} cannot be read.', name), cause);
}

function changed(field: Field, path: string, cause?: unknown): MediaError {
  const problem = l10n.t('{0} changed while it was being sent. The service may still bill it.', basename(path));
  return new MediaError('invalidInput', `${nameOf(field)}: ${problem}`, {
    field: field.name,
    mayBeBilled: true,
    cause,
  });
}
