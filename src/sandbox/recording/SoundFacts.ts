/** The properties of a recording's audio track. */
export interface SoundFacts {
  /** Name of the codec, for people. */
  readonly codec: string;
  /** Seconds. */
  readonly duration: number;
  readonly channels: number;
  /** Samples per second. */
  readonly sampleRate: number;
  /** Bits per second. */
  readonly bitrate?: number | undefined;
}
