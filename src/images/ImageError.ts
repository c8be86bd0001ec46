import type { UnreadableReason } from './codecs/UnreadablePicture.ts';

/** `invalid`: a field of the change; `tooSlow`: the deadline passed; `failed`: nobody knows why. */
export type ImageErrorReason = UnreadableReason | 'invalid' | 'tooSlow' | 'failed';

/** Why a picture was not changed, as a sentence for a person. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: ImageErrorReason;
  /** What is wrong: a field of the change, `file` when it is the picture itself. */
  readonly field: string;

  constructor(reason: ImageErrorReason, sentence: string, field = 'file') {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }
}
