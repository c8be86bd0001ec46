/**
 * Why parts stay parts.
 * - `kind`: files of this kind cannot be put one after the other
 * - `unreadable`: a part is not of this kind, or holds a coding that cannot be joined
 * - `formatsDiffer`: a part has another sample rate, number of channels or coding than the first
 * - `tooLarge`: more than a file of this kind can hold
 */
export type NotJoinedReason = 'kind' | 'unreadable' | 'formatsDiffer' | 'tooLarge';

/** Some bytes of the joined file, and what they are. */
export interface SpeechPiece {
  readonly bytes: Uint8Array;
  /** Index of the part that they are the sound of; undefined for the header, a tag and what fills up the end. */
  readonly part?: number;
  /** How long they sound. */
  readonly seconds: number;
}

export type JoinedSpeech =
  | {
      readonly joined: true;
      /** The one file, read from the parts as it is consumed; can be consumed again. Rejects when a part cannot be read. */
      readonly data: AsyncIterable<SpeechPiece>;
    }
  | {
      readonly joined: false;
      readonly reason: NotJoinedReason;
      /** Index of the part that stands in the way. */
      readonly part?: number;
    };
