import { flattenOnWhite } from '../../images/codecs/Bitmap.ts';
import { decodePicture } from '../../images/codecs/decodePicture.ts';
import { UnreadablePicture } from '../../images/codecs/pictureFile.ts';
import type { Picture } from './Picture.ts';
import { scaleBy } from './Picture.ts';

/** More than most phones and cameras take. A decoded pixel takes four bytes, briefly three times over. */
export const maxPixels = 32_000_000;

export interface PictureSource {
  /** A PNG, JPEG or WebP file, or one in base64. */
  readonly file: Uint8Array | string;
  /** Maximum length of the longer side, in pixels. */
  readonly maxSide: number;
  /** Whether transparent pixels stay so, instead of becoming white. */
  readonly keepsAlpha?: boolean;
}

/**
 * Decodes a picture and shrinks it to `maxSide`: several full-size photographs would fill the memory.
 *
 * @throws UnreadablePicture
 */
export async function readPicture({ file, maxSide, keepsAlpha }: PictureSource): Promise<Picture> {
  const bytes = typeof file === 'string' ? decodeBase64(file) : file;
  const decoded = await decodePicture(bytes, { maxPixels });
  const picture = keepsAlpha ? decoded : flattenOnWhite(decoded);
  return scaleBy(picture, Math.min(1, maxSide / Math.max(picture.width, picture.height)));
}

function decodeBase64(base64: string): Uint8Array {
  if (!/^[\w+/-]+={0,2}$/.test(base64)) throw new UnreadablePicture('damaged', 'holds a data: URL that is not base64');
  return Buffer.from(base64, 'base64');
}
