import type { AudioCodec } from 'mediabunny';

/** How a sample of linear sound is written. */
export interface Sample {
  readonly bytes: number;
  /** Returns a value from -1 to 1. */
  read(view: DataView, offset: number): number;
}

export const samples: Partial<Readonly<Record<AudioCodec, Sample>>> = {
  'pcm-u8': { bytes: 1, read: (view, offset) => (view.getUint8(offset) - 128) / 128 },
  'pcm-s16': { bytes: 2, read: (view, offset) => view.getInt16(offset, true) / 2 ** 15 },
  // The two upper bytes are exact enough.
  'pcm-s24': { bytes: 3, read: (view, offset) => view.getInt16(offset + 1, true) / 2 ** 15 },
  'pcm-s32': { bytes: 4, read: (view, offset) => view.getInt32(offset, true) / 2 ** 31 },
  'pcm-f32': { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  'pcm-f64': { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
};
