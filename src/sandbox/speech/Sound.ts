/** Samples per second of the sandbox's speech: one channel, 16 bits each. */
export const sampleRate = 24_000;

/** Samples of one channel, in pieces of at most some seconds. */
export type Sound = AsyncIterable<Int16Array>;

/** What a file of the sandbox tells about itself. */
export interface SpeechLabel {
  readonly text: string;
  /** Which voice, and what made it. */
  readonly speaker: string;
}

/** The maker named in the sandbox's files: by this their text is trusted. */
export const software = 'Unified Media sandbox';
