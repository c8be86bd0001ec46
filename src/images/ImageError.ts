import type { UnreadableReason } from './codecs/UnreadablePicture.ts';

/** `invalid`: a field of the change is invalid; `tooSlow`: the deadline passed; `failed`: any other error. */
export type ImageErrorReason = UnreadableReason | 'invalid' | 'tooSlow' | 'failed';

/** Says why a picture could not be changed; the message is for a person. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: ImageErrorReason;
  /** Field of the change that is invalid, or `file` for the picture itself. */
  readonly field: string;

  constructor(reason: ImageErrorReason, sentence: string, field = 'file') {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }
}
