import { decodePicture } from '../../images/codecs/decodePicture.ts';
import { flattenOnWhite } from '../../images/codecs/flattenOnWhite.ts';
import { UnreadablePicture } from '../../images/codecs/UnreadablePicture.ts';
import type { Picture } from './Picture.ts';
import { createPicture } from './Picture.ts';
import { scalePicture } from './scalePicture.ts';

/** Above what most phones and cameras take; decoded, each takes four bytes, for a moment three times over. */
export const maxPixels = 32_000_000;

export interface PictureSource {
  /** A PNG, JPEG or WebP, or one in base64. */
  readonly file: Uint8Array | string;
  /** Pixels of the longer side that are enough. */
  readonly most: number;
}

/**
 * Reads a picture of any kind, and shrinks it: several photographs in full would fill the memory.
 *
 * @throws UnreadablePicture
 */
export async function readPicture({ file, most }: PictureSource, signal: AbortSignal): Promise<Picture> {
  const bytes = typeof file === 'string' ? bytesOf(file) : file;
  const picture = flattenOnWhite(await decodePicture(bytes, { maxPixels }));
  signal.throwIfAborted();
  const { width, height } = picture;
  const scale = most / Math.max(width, height);
  if (scale >= 1) return picture;
  const smaller = createPicture(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  await scalePicture(picture, { left: 0, top: 0, width, height }, smaller, { left: 0, top: 0, ...smaller }, signal);
  return smaller;
}

function bytesOf(base64: string): Uint8Array {
  if (!/^[\w+/-]+={0,2}$/.test(base64)) throw new UnreadablePicture('damaged', 'holds a data: URL that is not base64');
  return Buffer.from(base64, 'base64');
}
