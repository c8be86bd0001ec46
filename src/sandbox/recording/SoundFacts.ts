/** What a sound is, whatever file it is in. */
export interface SoundFacts {
  /** In words for a person. */
  readonly codec: string;
  /** Seconds. */
  readonly duration: number;
  readonly channels: number;
  /** Per second. */
  readonly sampleRate: number;
  /** Bits per second. */
  readonly bitrate?: number | undefined;
}
