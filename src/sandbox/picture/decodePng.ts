import type { DecodedPng } from 'fast-png';
import { decode, hasPngSignature } from 'fast-png';
import type { Picture } from './Picture.ts';
import { createPicture } from './Picture.ts';

/** More would keep the editor waiting while it is decoded. */
export const mostPixels = 24_000_000;

/**
 * Reads a PNG of any kind; what is transparent becomes white.
 *
 * @returns undefined when the bytes are no PNG
 * @throws RangeError when it has more than {@link mostPixels}; Error when it is damaged
 */
export function decodePng(bytes: Uint8Array): Picture | undefined {
  if (bytes.length < 33 || !hasPngSignature(bytes)) return undefined;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [header.readUInt32BE(16), header.readUInt32BE(20)];
  if (width * height > mostPixels) throw new RangeError(`The picture has more than ${mostPixels} pixels.`);
  const decoded = decode(bytes);
  if (decoded.width === 0 || decoded.height === 0) throw new Error('The picture is empty.');
  const picture = createPicture(decoded.width, decoded.height);
  const colours = coloursOf(decoded);
  for (let y = 0; y < decoded.height; y++) {
    for (let x = 0; x < decoded.width; x++) {
      const at = (y * decoded.width + x) * 4;
      const [red, green, blue, alpha] = colours(x, y);
      const share = alpha / 255;
      picture.data[at] = 255 + (red - 255) * share;
      picture.data[at + 1] = 255 + (green - 255) * share;
      picture.data[at + 2] = 255 + (blue - 255) * share;
    }
  }
  return picture;
}

type Rgba = readonly [number, number, number, number];

/** Red, green, blue and alpha of a pixel, 0 to 255 each. */
function coloursOf(png: DecodedPng): (x: number, y: number) => Rgba {
  const { channels, depth, palette, width, data } = png;
  const perByte = 8 / depth;
  const bytesPerRow = Math.ceil((width * channels * depth) / 8);
  const mask = 2 ** depth - 1;
  /** Samples of less than 8 bits are packed, the first one in the highest bits. */
  const sample = (x: number, y: number, channel: number): number => {
    if (depth >= 8) return data[(y * width + x) * channels + channel] ?? 0;
    const byte = data[y * bytesPerRow + Math.floor(x / perByte)] ?? 0;
    return (byte >> (8 - depth * ((x % perByte) + 1))) & mask;
  };
  if (palette) {
    return (x, y) => {
      const [red = 0, green = 0, blue = 0, alpha = 255] = palette[sample(x, y, 0)] ?? [];
      return [red, green, blue, alpha];
    };
  }
  const scale = 255 / mask;
  const alphaAt = channels % 2 === 0 ? channels - 1 : undefined;
  const clear = png.transparency;
  return (x, y) => {
    const first = sample(x, y, 0);
    const [green, blue] = channels > 2 ? [sample(x, y, 1), sample(x, y, 2)] : [first, first];
    const isClear =
      clear !== undefined && first === clear[0] && (channels < 3 || (green === clear[1] && blue === clear[2]));
    const alpha = isClear ? 0 : alphaAt === undefined ? 255 : sample(x, y, alphaAt) * scale;
    return [first * scale, green * scale, blue * scale, alpha];
  };
}
