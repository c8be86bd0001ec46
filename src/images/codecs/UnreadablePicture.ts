/** `unsupported`: neither PNG nor JPEG nor WebP; `animated`: several pictures in one file. */
export type UnreadableReason = 'unsupported' | 'animated' | 'damaged' | 'tooLarge';

/** The message is the rest of an English sentence that starts with the picture. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
