import { pause } from '../pause.ts';
import type { Picture } from './Picture.ts';

/** A rectangle in pixels; in a source also between them. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Fills a rectangle of the target with a frame of the source: averages when it shrinks, interpolates when it grows. */
export async function scalePicture(
  source: Picture,
  from: Frame,
  target: Picture,
  to: Frame,
  signal: AbortSignal,
): Promise<void> {
  const [columns, rows] = [
    spread(from.left, from.width, source.width, to.width),
    spread(from.top, from.height, source.height, to.height),
  ];
  // About a tenth of a second of work on a slow machine.
  const share = Math.max(1, Math.floor(2_000_000 / (columns.weights.length * (rows.weights.length / to.height))));
  for (let y = 0; y < to.height; y++) {
    scaleRow(source, columns, rows, y, target, ((to.top + y) * target.width + to.left) * 4);
    if (y % share === share - 1) await pause(signal);
  }
}

/** Same, at once: for small pictures. */
export function scaleAtOnce(source: Picture, from: Frame, target: Picture): void {
  const columns = spread(from.left, from.width, source.width, target.width);
  const rows = spread(from.top, from.height, source.height, target.height);
  for (let y = 0; y < target.height; y++) scaleRow(source, columns, rows, y, target, y * target.width * 4);
}

/** For each pixel of a line: which source pixels it is made of (`taps` in a row from `first`) and how much of each. */
interface Spread {
  readonly taps: number;
  readonly first: Int32Array;
  readonly weights: Float32Array;
}

function spread(start: number, length: number, sourceLength: number, targetLength: number): Spread {
  const step = length / targetLength;
  const reach = Math.max(1, step);
  const taps = Math.ceil(reach) + 1;
  const first = new Int32Array(targetLength);
  const weights = new Float32Array(targetLength * taps);
  for (let pixel = 0; pixel < targetLength; pixel++) {
    const middle = start + (pixel + 0.5) * step;
    const begin = Math.floor(middle - reach / 2);
    const lowest = Math.min(Math.max(0, begin), Math.max(0, sourceLength - taps));
    first[pixel] = lowest;
    for (let tap = 0; tap < taps; tap++) {
      const covered = Math.min(begin + tap + 1, middle + reach / 2) - Math.max(begin + tap, middle - reach / 2);
      const slot = Math.min(taps, sourceLength, Math.max(1, begin + tap - lowest + 1)) - 1;
      weights[pixel * taps + slot] = (weights[pixel * taps + slot] ?? 0) + Math.max(0, covered) / reach;
    }
  }
  return { taps, first, weights };
}

function scaleRow(source: Picture, columns: Spread, rows: Spread, y: number, target: Picture, offset: number): void {
  const { data, width } = source;
  let at = offset;
  for (let x = 0; x < columns.first.length; x++, at += 4) {
    let [red, green, blue] = [0, 0, 0];
    for (let row = 0; row < rows.taps; row++) {
      const rowWeight = rows.weights[y * rows.taps + row] ?? 0;
      if (rowWeight === 0) continue;
      let from = (((rows.first[y] ?? 0) + row) * width + (columns.first[x] ?? 0)) * 4;
      for (let column = 0; column < columns.taps; column++, from += 4) {
        const weight = rowWeight * (columns.weights[x * columns.taps + column] ?? 0);
        red += weight * (data[from] ?? 0);
        green += weight * (data[from + 1] ?? 0);
        blue += weight * (data[from + 2] ?? 0);
      }
    }
    target.data[at] = red + 0.5;
    target.data[at + 1] = green + 0.5;
    target.data[at + 2] = blue + 0.5;
  }
}
