import { UnreadablePicture } from './UnreadablePicture.ts';

/** Above what most phones and cameras take; decoded, each takes four bytes, for a moment three times over. */
export const mostPixels = 32_000_000;

/** To be called before anything is decoded. @throws UnreadablePicture when it is empty or too large */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new UnreadablePicture('has no size that can be read');
  if (width * height > mostPixels) throw new UnreadablePicture(`has more than ${mostPixels} pixels`);
}
