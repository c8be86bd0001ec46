import type { FrameFormat } from './FrameFormat.ts';

/** Indexed by four bits of the header; the missing ones are reserved. */
const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];

/** AAC in ADTS, where each frame has its own header: ISO 13818-7. */
export const adtsFormat: FrameFormat = {
  headerLength: 7,
  maxFrameBytes: 8191,
  hasTag: false,

  read(bytes, offset) {
    const [sync = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = bytes.subarray(
      offset,
      offset + 7,
    );
    // Twelve bits of sync; the layer is 0.
    if (sync !== 0xff || (second & 0xf6) !== 0xf0) return undefined;
    const rate = (third >> 2) & 15;
    const channels = ((third & 1) << 2) | (fourth >> 6);
    const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
    // Without a channel count, the frame depends on earlier ones, so the file cannot be split.
    const sampleRate = sampleRates[rate];
    if (sampleRate === undefined || channels === 0 || length < 8) return undefined;
    // A frame holds up to four blocks of 1,024 samples.
    const seconds = (((seventh & 3) + 1) * 1024) / sampleRate;
    return { length, seconds, setup: `${(second >> 3) & 1} ${third >> 6} ${rate} ${channels}` };
  },

  isIndex: () => false,
};
