/** The header of an MPEG audio frame (ISO 11172-3, 13818-3). */
export interface MpegAudioFrame {
  /** 2.5 is the unofficial extension to lower sample rates. */
  readonly version: 1 | 2 | 2.5;
  readonly layer: 1 | 2 | 3;
  /** Bits per second. */
  readonly bitrate: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
}

const versions = [2.5, undefined, 2, 1] as const;
const layers = [undefined, 3, 2, 1] as const;
/** Bit rates in kbit/s by version and layer; 2 stands for 2 and 2.5. */
const bitrates: Readonly<Record<string, readonly number[]>> = {
  '1,1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1,2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1,3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2,1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2,2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2,3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const sampleRates = [44_100, 48_000, 32_000];

/** Parses a four-byte header. Returns undefined if it is invalid. */
export function readMpegAudioFrame([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array):
  | MpegAudioFrame
  | undefined {
  const version = versions[(second >> 3) & 3];
  const layer = layers[(second >> 1) & 3];
  const rate = sampleRates[(third >> 2) & 3];
  if (first !== 0xff || second < 0xe0 || !version || !layer || !rate) return undefined;
  const kilobits = bitrates[`${version === 1 ? 1 : 2},${layer}`]?.[(third >> 4) - 1];
  if (!kilobits) return undefined;
  const divisor = { 1: 1, 2: 2, 2.5: 4 }[version];
  return { version, layer, bitrate: kilobits * 1000, sampleRate: rate / divisor, channels: fourth >> 6 === 3 ? 1 : 2 };
}

/** Finds the first frame in these bytes. */
export function findMpegAudioFrame(bytes: Buffer): MpegAudioFrame | undefined {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = readMpegAudioFrame(bytes.subarray(at, at + 4));
    if (frame) return frame;
  }
  return undefined;
}
