import type { FrameFormat } from './FrameFormat.ts';

/** AAC in ADTS, each frame with a header of its own: ISO 13818-7. */
export const adtsFormat: FrameFormat = {
  headerLength: 7,
  longest: 8191,
  hasTag: false,

  read(bytes, offset) {
    const [sync = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = bytes.subarray(offset, offset + 6);
    // Twelve bits of sync; the layer is 0.
    if (sync !== 0xff || (second & 0xf6) !== 0xf0) return undefined;
    const rate = (third >> 2) & 15;
    const channels = ((third & 1) << 2) | (fourth >> 6);
    const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    // Without a number of channels the frames before it tell: such a file is no row of equal frames.
    if (rate > 12 || channels === 0 || length < 8) return undefined;
    return { length, setup: `${(second >> 3) & 1} ${third >> 6} ${rate} ${channels}` };
  },

  isIndex: () => false,
};
