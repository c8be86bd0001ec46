/**
 * Why parts stay parts.
 * - `kind`: files of this kind cannot be put one after the other
 * - `unreadable`: a part is not of this kind, or holds a coding that cannot be joined
 * - `formatsDiffer`: a part has another sample rate, number of channels or coding than the first
 * - `tooLarge`: more than a file of this kind can hold
 */
export type NotJoinedReason = 'kind' | 'unreadable' | 'formatsDiffer' | 'tooLarge';

export type JoinedSpeech =
  | {
      readonly joined: true;
      /** The one file, read from the parts as it is consumed; can be consumed again. Rejects when a part cannot be read. */
      readonly data: AsyncIterable<Uint8Array>;
    }
  | {
      readonly joined: false;
      readonly reason: NotJoinedReason;
      /** Index of the part that stands in the way. */
      readonly part?: number;
    };
