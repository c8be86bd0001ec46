import { type Bitmap, cropBitmap, flattenOnWhite, resizeBitmap } from './codecs/Bitmap.ts';
import { decodePicture } from './codecs/decodePicture.ts';
import {
  colourProfile,
  encodeJpeg,
  encodePng,
  encodeWebp,
  withJpegProfile,
  withWebpProfile,
} from './codecs/encodePicture.ts';
import {
  isAnimated,
  type PictureFormat,
  type PictureSize,
  pictureFormat,
  UnreadablePicture,
} from './codecs/pictureFile.ts';
import {
  type ChangeTask,
  type CropArea,
  defaultQuality,
  type EncodedImage,
  type ImageChange,
  maxSide,
  type Patch,
  type TaskReply,
} from './ImageChange.ts';

/** Plans a change. @returns undefined if the crop area exceeds the source */
function planChange(
  source: PictureSize,
  { crop, ratio, width, height }: ImageChange,
): (PictureSize & { readonly from: CropArea }) | undefined {
  const whole = crop ?? { x: 0, y: 0, width: source.width, height: source.height };
  const area = ratio === undefined ? whole : middleOf(whole, ratio);
  if (area.x + area.width > source.width || area.y + area.height > source.height) return undefined;
  if (width !== undefined && height !== undefined) return { from: middleOf(area, width / height), width, height };
  const scale = width !== undefined ? width / area.width : height !== undefined ? height / area.height : 1;
  return {
    from: area,
    width: width ?? Math.max(1, Math.round(area.width * scale)),
    height: height ?? Math.max(1, Math.round(area.height * scale)),
  };
}

/** Returns the largest centered part of an area that has this ratio. */
function middleOf(area: CropArea, ratio: number): CropArea {
  const width = Math.min(area.width, Math.max(1, Math.round(area.height * ratio)));
  const height = Math.min(area.height, Math.max(1, Math.round(area.width / ratio)));
  return {
    x: area.x + Math.floor((area.width - width) / 2),
    y: area.y + Math.floor((area.height - height) / 2),
    width,
    height,
  };
}

/** Decodes a picture once and makes each result from it, on the worker thread. @throws UnreadablePicture */
export async function changePicture({
  bytes,
  changes,
  maxBytes,
  maxPixels,
}: ChangeTask): Promise<Extract<TaskReply, { readonly type: 'done' | 'outside' | 'resultTooLarge' }>> {
  const format = pictureFormat(bytes);
  if (format && isAnimated(bytes, format)) throw new UnreadablePicture('animated', 'holds more than one picture');
  const source = await decodePicture(bytes, { maxPixels });
  const profile = format && colourProfile(bytes, format);
  const files: EncodedImage[] = [];
  for (const change of changes) {
    const plan = planChange(source, change);
    if (!plan) return { type: 'outside', width: source.width, height: source.height };
    const { from, width, height } = plan;
    if (Math.max(width, height) > maxSide || width * height > maxPixels) {
      return { type: 'resultTooLarge', field: change.width === undefined ? 'height' : 'width', width, height };
    }
    const patched = change.patch ? await patchBitmap(source, change.patch, maxPixels) : source;
    if (!patched) return { type: 'outside', width: source.width, height: source.height };
    const bitmap = resizeBitmap(cropBitmap(patched, from), width, height);
    const encoded = await encode(bitmap, change, change.format ?? format ?? 'png', profile);
    const isEnlarged = width > from.width || height > from.height;
    const file = isEnlarged ? { ...encoded, enlargedFrom: { width: from.width, height: from.height } } : encoded;
    if (maxBytes === undefined) files.push(file);
    else if (file.bytes.length <= maxBytes) return { type: 'done', files: [file] };
  }
  return { type: 'done', files };
}

/** Returns a copy with the patch in it; undefined if the patch or its mask does not fit. */
async function patchBitmap(
  source: Bitmap,
  { bytes, area, mask: maskBytes, feather }: Patch,
  maxPixels: number,
): Promise<Bitmap | undefined> {
  const mask = await decodePicture(maskBytes, { maxPixels });
  const isInside = area.x + area.width <= source.width && area.y + area.height <= source.height;
  if (!isInside || mask.width !== source.width || mask.height !== source.height) return undefined;
  const patch = resizeBitmap(await decodePicture(bytes, { maxPixels }), area.width, area.height);
  const shares = softened(cropBitmap(mask, area), feather);
  const data = source.data.slice();
  for (let row = 0; row < area.height; row++) {
    for (let column = 0; column < area.width; column++) {
      const from = row * area.width + column;
      const to = ((area.y + row) * source.width + area.x + column) * 4;
      blend(data, to, patch.data, from * 4, shares[from] ?? 0);
    }
  }
  return { ...source, data };
}

/** Mixes a pixel of the patch into one of the picture. What is transparent has no colour. */
function blend(data: Uint8Array, to: number, patch: Uint8Array, from: number, share: number): void {
  const own = (1 - share) * (data[to + 3] ?? 0);
  const added = share * (patch[from + 3] ?? 0);
  const alpha = own + added;
  if (share === 0 || alpha === 0) {
    data[to + 3] = alpha;
    return;
  }
  for (let channel = 0; channel < 3; channel++) {
    const mixed = own * (data[to + channel] ?? 0) + added * (patch[from + channel] ?? 0);
    data[to + channel] = Math.round(mixed / alpha);
  }
  data[to + 3] = Math.round(alpha);
}

/**
 * Returns the share of the patch in each pixel, 0 to 1: all of it where the mask is transparent, and less and less
 * outside, up to the width of the soft edge.
 */
function softened({ width, height, data }: Bitmap, feather: number): Float32Array {
  const shares = Float32Array.from({ length: width * height }, (_, at) => 1 - (data[at * 4 + 3] ?? 0) / 255);
  const lines = (change: typeof blurLine, radius: number): void => {
    for (let row = 0; row < height; row++) change(shares, row * width, 1, width, radius);
    for (let column = 0; column < width; column++) change(shares, column, width, height, radius);
  };
  // The blur takes from the inside what it gives to the outside, so the part is widened by as much before.
  const radius = Math.floor(feather / 4);
  lines(widenLine, 2 * radius);
  lines(blurLine, radius);
  lines(blurLine, radius);
  return shares;
}

/** Replaces each value of a line by the greatest one at most this far away. */
function widenLine(values: Float32Array, start: number, step: number, length: number, radius: number): void {
  const before = Float32Array.from({ length }, (_, at) => values[start + at * step] ?? 0);
  // Indexes of values that may still be the greatest, in descending order of the values.
  const greatest: number[] = [];
  for (let at = 0; at < length + radius; at++) {
    const added = before[at];
    while (added !== undefined && (before[greatest.at(-1) ?? -1] ?? Number.POSITIVE_INFINITY) <= added) greatest.pop();
    if (added !== undefined) greatest.push(at);
    if ((greatest[0] ?? 0) < at - 2 * radius) greatest.shift();
    if (at >= radius) values[start + (at - radius) * step] = before[greatest[0] ?? 0] ?? 0;
  }
}

/** Averages each value of a line with its neighbours. End values repeat beyond the ends, so edges do not fade. */
function blurLine(values: Float32Array, start: number, step: number, length: number, radius: number): void {
  const before = Float32Array.from({ length }, (_, at) => values[start + at * step] ?? 0);
  const valueAt = (at: number) => before[Math.min(length - 1, Math.max(0, at))] ?? 0;
  let sum = 0;
  for (let at = -radius; at <= radius; at++) sum += valueAt(at);
  for (let at = 0; at < length; at++) {
    values[start + at * step] = sum / (2 * radius + 1);
    sum += valueAt(at + radius + 1) - valueAt(at - radius);
  }
}

async function encode(
  bitmap: Bitmap,
  { quality = defaultQuality, isOpaque }: ImageChange,
  format: PictureFormat,
  profile: Uint8Array | undefined,
): Promise<EncodedImage> {
  const { width, height } = bitmap;
  const describe = (bytes: Uint8Array) => ({ bytes, mediaType: `image/${format}`, width, height });
  switch (format) {
    case 'png':
      return describe(encodePng(isOpaque ? flattenOnWhite(bitmap) : bitmap, profile));
    case 'jpeg': {
      const file = await encodeJpeg(bitmap, quality);
      return describe(profile ? withJpegProfile(file, profile) : file);
    }
    case 'webp': {
      const file = await encodeWebp(bitmap, quality);
      return describe(profile ? withWebpProfile(file, profile, width, height) : file);
    }
  }
}
