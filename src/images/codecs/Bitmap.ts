/** Pixels as 8-bit RGBA, not premultiplied, rows from the top. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Copies a rectangle out of a bitmap; it must lie inside. */
export function cropBitmap(
  source: Bitmap,
  area: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Bitmap {
  const { x, y, width, height } = area;
  if (width === source.width && height === source.height) return source;
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * source.width + x) * 4;
    data.set(source.data.subarray(start, start + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/**
 * Turns and mirrors a bitmap as it is shown.
 *
 * @param source its data starts at a multiple of four bytes
 * @param orientation of Exif: from 1, as it is stored, to 8; others count as 1
 */
export function turnUpright(source: Bitmap, orientation: number): Bitmap {
  if (orientation < 2 || orientation > 8) return source;
  const isOnSide = orientation > 4;
  const [width, height] = isOnSide ? [source.height, source.width] : [source.width, source.height];
  const startsRight = [2, 3, 7, 8].includes(orientation);
  const startsAtBottom = [3, 4, 6, 7].includes(orientation);
  const first = (startsRight ? source.width - 1 : 0) + (startsAtBottom ? (source.height - 1) * source.width : 0);
  const toNext = startsRight ? -1 : 1;
  const toNextRow = startsAtBottom ? -source.width : source.width;
  const [across, down] = isOnSide ? [toNextRow, toNext] : [toNext, toNextRow];
  const from = new Uint32Array(source.data.buffer, source.data.byteOffset, width * height);
  const turned = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0, pixel = first + y * down; x < width; x++, pixel += across) turned[at++] = from[pixel] ?? 0;
  }
  return { width, height, data: new Uint8Array(turned.buffer) };
}

/** Returns a copy in which transparent pixels are blended with white. */
export function flattenOnWhite(bitmap: Bitmap): Bitmap {
  const data = bitmap.data.slice();
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 255;
    if (alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel++)
      data[channel] = 255 + ((data[channel] ?? 0) - 255) * (alpha / 255) + 0.5;
    data[at + 3] = 255;
  }
  return { ...bitmap, data };
}

/**
 * Scales a bitmap with a Lanczos filter of three lobes in linear light, so that fine patterns keep their brightness and
 * transparent pixels do not bleed colour. It needs memory for only a few rows and keeps flat colours exact.
 */
export function resizeBitmap(source: Bitmap, width: number, height: number): Bitmap {
  if (source.width === width && source.height === height) return source;
  const [columns, rows] = [spreadOf(source.width, width), spreadOf(source.height, height)];
  const line = new Float32Array(source.width * 4);
  // Source rows that the next result row may need, already scaled to its width.
  const ring = Array.from({ length: rows.taps }, () => new Float32Array(width * 4));
  const sums = new Float32Array(width * 4);
  const data = new Uint8Array(width * height * 4);
  let scaled = 0;
  for (let y = 0; y < height; y++) {
    const first = rows.first[y] ?? 0;
    for (; scaled < first + rows.taps; scaled++) {
      readLine(source, scaled, line);
      scaleLine(line, columns, ring[scaled % rows.taps] ?? sums);
    }
    sums.fill(0);
    for (let tap = 0; tap < rows.taps; tap++) {
      addLine(ring[(first + tap) % rows.taps] ?? sums, rows.weights[y * rows.taps + tap] ?? 0, sums);
    }
    writeLine(sums, data, y * width * 4);
  }
  return { width, height, data };
}

/** Source pixels of each result pixel in a line: `taps` pixels starting at `first`, with their weights. */
interface Spread {
  readonly taps: number;
  readonly first: Int32Array;
  readonly weights: Float32Array;
}

const lobes = 3;

function spreadOf(sourceLength: number, length: number): Spread {
  const step = sourceLength / length;
  const stretch = Math.max(1, step);
  const taps = Math.min(sourceLength, Math.ceil(2 * lobes * stretch) + 1);
  const first = new Int32Array(length);
  const weights = new Float32Array(length * taps);
  for (let pixel = 0; pixel < length; pixel++) {
    const middle = (pixel + 0.5) * step - 0.5;
    const start = Math.min(Math.max(0, Math.ceil(middle - lobes * stretch)), sourceLength - taps);
    first[pixel] = start;
    const own = Float64Array.from({ length: taps }, (_, tap) => lanczos((start + tap - middle) / stretch));
    const sum = own.reduce((all, weight) => all + weight, 0);
    weights.set(
      own.map((weight) => weight / sum),
      pixel * taps,
    );
  }
  return { taps, first, weights };
}

function lanczos(distance: number): number {
  if (distance === 0) return 1;
  if (Math.abs(distance) >= lobes) return 0;
  const angle = Math.PI * distance;
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle);
}

/** Linear light, 0 to 1, of each sRGB sample. */
const lightOf = Float32Array.from({ length: 256 }, (_, sample) => {
  const value = sample / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

/** sRGB samples by linear light, in steps that are fine enough for the darkest samples. */
const lightSteps = 65_535;
const sampleOf = Uint8Array.from({ length: lightSteps + 1 }, (_, step) => {
  const light = step / lightSteps;
  return Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));
});

/** Reads a row as linear light, premultiplied with alpha. */
function readLine({ width, data }: Bitmap, y: number, line: Float32Array): void {
  for (let at = 0, from = y * width * 4; at < line.length; at += 4, from += 4) {
    const alpha = (data[from + 3] ?? 0) / 255;
    line[at] = (lightOf[data[from] ?? 0] ?? 0) * alpha;
    line[at + 1] = (lightOf[data[from + 1] ?? 0] ?? 0) * alpha;
    line[at + 2] = (lightOf[data[from + 2] ?? 0] ?? 0) * alpha;
    line[at + 3] = alpha;
  }
}

function scaleLine(line: Float32Array, { taps, first, weights }: Spread, target: Float32Array): void {
  for (let pixel = 0; pixel < first.length; pixel++) {
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    let from = (first[pixel] ?? 0) * 4;
    for (let tap = pixel * taps; tap < (pixel + 1) * taps; tap++, from += 4) {
      const weight = weights[tap] ?? 0;
      red += weight * (line[from] ?? 0);
      green += weight * (line[from + 1] ?? 0);
      blue += weight * (line[from + 2] ?? 0);
      alpha += weight * (line[from + 3] ?? 0);
    }
    target[pixel * 4] = red;
    target[pixel * 4 + 1] = green;
    target[pixel * 4 + 2] = blue;
    target[pixel * 4 + 3] = alpha;
  }
}

function addLine(line: Float32Array, weight: number, sums: Float32Array): void {
  if (weight === 0) return;
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + weight * (line[at] ?? 0);
}

function writeLine(line: Float32Array, data: Uint8Array, start: number): void {
  for (let at = 0; at < line.length; at += 4) {
    const alpha = Math.min(1, line[at + 3] ?? 0);
    // Alpha below half a step rounds to transparent.
    if (alpha < 0.5 / 255) continue;
    for (let channel = 0; channel < 3; channel++) {
      const light = Math.min(1, Math.max(0, (line[at + channel] ?? 0) / alpha));
      data[start + at + channel] = sampleOf[Math.round(light * lightSteps)] ?? 0;
    }
    data[start + at + 3] = Math.round(alpha * 255);
  }
}
