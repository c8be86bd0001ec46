/** `unsupported`: not a PNG, JPEG or WebP; `animated`: several pictures in one file. */
export type UnreadableReason = 'unsupported' | 'animated' | 'damaged' | 'tooLarge';

/** The message continues an English sentence whose subject is the picture. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Checks the size of a picture before it is decoded. @throws UnreadablePicture if it is empty or too large */
export function checkSize(width: number, height: number, maxPixels: number): void {
  if (width === 0 || height === 0) throw new UnreadablePicture('damaged', 'has no size that can be read');
  if (width * height > maxPixels) throw new UnreadablePicture('tooLarge', `has more than ${maxPixels} pixels`);
}
