import type { MediaRequest } from '../../operations/operations.ts';

export type VoiceName = MediaRequest<'speak'>['voice'];

/** Of a voice's tones, in Hz. */
export const pitches: Readonly<Record<VoiceName, number>> = {
  onyx: 98,
  echo: 117,
  ash: 131,
  verse: 147,
  fable: 165,
  alloy: 185,
  sage: 208,
  ballad: 233,
  coral: 262,
  nova: 294,
  shimmer: 330,
};

/**
 * How much higher than the system's own a voice speaks: 0.80 to 1.22. Tones bear the whole range, speech sounds like a
 * toy beyond this.
 */
export function shiftOf(voice: VoiceName): number {
  return (pitches[voice] / pitches.alloy) ** 0.35;
}
