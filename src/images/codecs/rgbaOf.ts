import type { DecodedPng } from 'fast-png';
import type { Bitmap } from './Bitmap.ts';

/** Converts a decoded PNG of any colour type and depth to 8-bit RGBA. */
export function rgbaOf(png: DecodedPng): Bitmap {
  const { width, height, depth, palette, channels, transparency } = png;
  // The common case has its own loop, since there are millions of pixels.
  if (depth === 8 && palette === undefined && transparency === undefined && channels > 2) return rgbaOfBytes(png);
  const data = new Uint8Array(width * height * 4);
  const colours = coloursOf(png);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) data.set(colours(x, y), at);
  }
  return { width, height, data };
}

function rgbaOfBytes({ width, height, channels, data: samples }: DecodedPng): Bitmap {
  if (channels === 4 && samples instanceof Uint8Array) return { width, height, data: samples };
  const data = new Uint8Array(width * height * 4);
  for (let at = 0, from = 0; at < data.length; at += 4, from += channels) {
    data[at] = samples[from] ?? 0;
    data[at + 1] = samples[from + 1] ?? 0;
    data[at + 2] = samples[from + 2] ?? 0;
    data[at + 3] = 255;
  }
  return { width, height, data };
}

type Rgba = readonly [number, number, number, number];

/** Returns a function that reads red, green, blue and alpha of a pixel, each 0 to 255. */
function coloursOf(png: DecodedPng): (x: number, y: number) => Rgba {
  const { channels, depth, palette } = png;
  const sample = samplesOf(png);
  if (palette) {
    return (x, y) => {
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[sample(x, y, 0)] ?? [];
      return [red, green, blue, alpha];
    };
  }
  // Typed arrays truncate, so round: 65,279 of 16 bits is 254, not 253.99.
  const to8Bits = (value: number) => Math.round((value * 255) / (2 ** depth - 1));
  const alphaAt = channels % 2 === 0 ? channels - 1 : undefined;
  const clear = png.transparency;
  return (x, y) => {
    const first = sample(x, y, 0);
    const [green, blue] = channels > 2 ? [sample(x, y, 1), sample(x, y, 2)] : [first, first];
    const isClear =
      clear !== undefined && first === clear[0] && (channels < 3 || (green === clear[1] && blue === clear[2]));
    const alpha = isClear ? 0 : alphaAt === undefined ? 255 : to8Bits(sample(x, y, alphaAt));
    return [to8Bits(first), to8Bits(green), to8Bits(blue), alpha];
  };
}

function samplesOf({ channels, depth, width, data }: DecodedPng): (x: number, y: number, channel: number) => number {
  if (depth >= 8) return (x, y, channel) => data[(y * width + x) * channels + channel] ?? 0;
  // Samples of fewer than 8 bits are packed, the first in the highest bits.
  const [perByte, mask] = [8 / depth, 2 ** depth - 1];
  const bytesPerRow = Math.ceil((width * channels * depth) / 8);
  return (x, y) => {
    const byte = data[y * bytesPerRow + Math.floor(x / perByte)] ?? 0;
    return (byte >> (8 - depth * ((x % perByte) + 1))) & mask;
  };
}
