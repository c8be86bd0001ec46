import { UnreadablePicture } from './UnreadablePicture.ts';

/** To be called before anything is decoded. @throws UnreadablePicture when it is empty or too large */
export function checkSize(width: number, height: number, maxPixels: number): void {
  if (width === 0 || height === 0) throw new UnreadablePicture('damaged', 'has no size that can be read');
  if (width * height > maxPixels) throw new UnreadablePicture('tooLarge', `has more than ${maxPixels} pixels`);
}
