/**
 * Why parts cannot be joined.
 * - `kind`: files of this kind cannot be joined
 * - `unreadable`: a part is not of this kind, or has a coding that cannot be joined
 * - `formatsDiffer`: a part differs from the first in sample rate, number of channels or coding
 * - `tooLarge`: the result would exceed the maximum file size of this kind
 */
export type NotJoinedReason = 'kind' | 'unreadable' | 'formatsDiffer' | 'tooLarge';

/** Some bytes of the joined file. */
export interface SpeechPiece {
  readonly bytes: Uint8Array;
  /** Index of the part that the sound belongs to; undefined for a header, a tag or padding. */
  readonly part?: number;
  /** Duration of the sound. */
  readonly seconds: number;
}

export type JoinedSpeech =
  | {
      readonly joined: true;
      /** The joined file, read lazily from the parts and repeatable. Rejects when a part cannot be read. */
      readonly data: AsyncIterable<SpeechPiece>;
    }
  | {
      readonly joined: false;
      readonly reason: NotJoinedReason;
      /** Index of the part that prevents joining. */
      readonly part?: number;
    };
