import { UnreadablePicture } from './UnreadablePicture.ts';

/** More than the largest photographs of most cameras; decoded they take four bytes each. */
export const mostPixels = 50_000_000;

/** To be called before anything is decoded. @throws UnreadablePicture when it is empty or too large */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new UnreadablePicture('has no size that can be read');
  if (width * height > mostPixels) throw new UnreadablePicture(`has more than ${mostPixels} pixels`);
}
