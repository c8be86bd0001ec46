import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Field } from '../operations/Field.ts';
import { MediaError } from '../operations/MediaError.ts';
import { headBytes } from '../operations/mediaType.ts';
import { nameOf, unusable } from '../operations/validateRequest.ts';

/** A file whose bytes are a part of a request. */
export interface InputFile {
  /** What it is sent for. */
  readonly field: Field;
  /** Absolute. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Makes sure that a file can be read and is what its field takes.
 *
 * @param problemOf why the first bytes cannot be sent, as a sentence; undefined when they can
 * @throws MediaError `invalidInput` that names the field
 */
export async function checkInputFile(
  field: Field,
  path: string,
  problemOf: (name: string, head: Uint8Array) => Promise<string | undefined>,
): Promise<InputFile> {
  const name = basename(path);
  try {
    const status = await stat(path);
    if (!status.isFile()) throw unusable(field, l10n.t('{0} is no file.', name));
    await using handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const problem = await problemOf(name, buffer.subarray(0, bytesRead));
    if (problem) throw unusable(field, problem);
    return { field, path, size: status.size };
  } catch (error) {
    throw error instanceof MediaError ? error : unreadable(field, path, error);
  }
}

/**
 * The bytes of a file in pieces, which all lie in the same memory: each must be used before the next is asked for.
 *
 * @throws MediaError `invalidInput` that names the field; `mayBeBilled` when the file was opened and has changed since
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
  const problem = l10n.t('{0} changed while it was sent. The service may still bill it.', basename(path));
  return new MediaError('invalidInput', `${nameOf(field)}: ${problem}`, {
    field: field.name,
    mayBeBilled: true,
    cause,
  });
}
