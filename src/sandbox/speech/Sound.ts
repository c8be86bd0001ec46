/** Samples per second of the sandbox's speech: mono, 16 bits per sample. */
export const sampleRate = 24_000;

/** Mono samples, in chunks of at most a few seconds. */
export type Sound = AsyncIterable<Int16Array>;

/** Metadata in the sandbox's sound files. */
export interface SpeechLabel {
  readonly text: string;
  /** Name of the voice and of the software that spoke. */
  readonly speaker: string;
}

/** Software name in the sandbox's files; transcripts use the text of files that have it. */
export const software = 'Unified Media sandbox';
