import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Field } from '../operations/Field.ts';
import { detectMediaType } from '../operations/mediaType.ts';
import type { InputFile } from './inputFile.ts';
import { checkInputFile, piecesOf, unusable } from './inputFile.ts';

/** An image that is sent as a `data:` URL. */
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

/** Returns the length of a file's base64 in characters. */
export function base64Length({ size }: InputFile): number {
  return 4 * Math.ceil(size / 3);
}

/** Gives 128 KiB of base64. Divisible by three, so that only the last piece is padded. */
const pieceBytes = 96 * 1024;
/** Bytes per encoded string. V8 would allocate longer strings outside the young generation, where they live longer. */
const stringBytes = 48 * 1024;

/** Encodes a file as base64, in pieces that share one buffer. Throws like {@link piecesOf}. */
export async function* base64Of(file: InputFile): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(Math.min(base64Length(file), (pieceBytes / 3) * 4));
  for await (const piece of piecesOf(file, pieceBytes)) {
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
