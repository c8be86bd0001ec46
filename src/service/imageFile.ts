import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Field } from '../operations/Field.ts';
import { detectMediaType } from '../operations/mediaType.ts';
import { unusable } from '../operations/validateRequest.ts';
import type { InputFile } from './inputFile.ts';
import { checkInputFile, piecesOf } from './inputFile.ts';

/** An image that is sent as a `data:` URL. */
export interface ImageFile extends InputFile {
  /** By its bytes. */
  readonly mime: string;
}

export function isFileUrl(value: unknown): value is string {
  return typeof value === 'string' && /^file:/i.test(value);
}

/**
 * Makes sure that a `file:` URL names an image that can be read.
 *
 * @throws MediaError `invalidInput` that names the field
 */
export async function checkImage(field: Field, url: string): Promise<ImageFile> {
  let mime = '';
  const file = await checkInputFile(field, pathOf(field, url), async (name, head) => {
    mime = (await detectMediaType(head))?.mime ?? '';
    return mime.startsWith('image/') ? undefined : l10n.t('{0} is no image.', name);
  });
  return { ...file, mime };
}

/** How many characters the base64 of a file has. */
export function base64Length({ size }: InputFile): number {
  return 4 * Math.ceil(size / 3);
}

/** 128 KiB of base64; divisible by three, so that only the last piece is padded. */
const pieceBytes = 96 * 1024;
/** How much of it becomes one text: a longer one would not be made where short-lived texts are made and gone fast. */
const stringBytes = 48 * 1024;

/** The base64 of a file, in pieces that all lie in the same memory. Throws like {@link piecesOf}. */
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
