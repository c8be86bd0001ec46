/** Share of each pixel that an outline covers, about 0 to 1: rounding may exceed it. */
export interface Coverage {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Closed polygons, each a list x, y, x, y, … in pixels. */
export type Outline = readonly (readonly number[])[];

/**
 * Fills an outline with exact anti-aliasing: every edge adds its signed area to the pixels it crosses, and the sum from
 * the left is the coverage (the algorithm of font-rs). All contours must have the same winding, as in fonts.
 */
export function fillOutline(outline: Outline, width: number, height: number): Coverage {
  // Edges at the right border also write to the columns after it.
  const stride = width + 2;
  const areas = new Float32Array(stride * height);
  for (const contour of outline) {
    const count = contour.length / 2;
    for (let index = 0; index < count; index++) {
      const next = (index + 1) % count;
      addEdge(areas, stride, height, pointOf(contour, index), pointOf(contour, next));
    }
  }
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let x = 0; x < width; x++) {
      sum += areas[y * stride + x] ?? 0;
      data[y * width + x] = Math.min(1, Math.abs(sum));
    }
  }
  return { width, height, data };
}

type Point = readonly [number, number];

function pointOf(contour: readonly number[], index: number): Point {
  return [contour[index * 2] ?? 0, contour[index * 2 + 1] ?? 0];
}

function addEdge(areas: Float32Array, stride: number, height: number, start: Point, end: Point): void {
  if (start[1] === end[1]) return;
  const direction = start[1] < end[1] ? 1 : -1;
  const [upper, lower] = direction === 1 ? [start, end] : [end, start];
  const slope = (lower[0] - upper[0]) / (lower[1] - upper[1]);
  for (let y = Math.max(0, Math.floor(upper[1])); y < Math.min(height, Math.ceil(lower[1])); y++) {
    const top = Math.max(y, upper[1]);
    const bottom = Math.min(y + 1, lower[1]);
    const from = upper[0] + (top - upper[1]) * slope;
    const to = upper[0] + (bottom - upper[1]) * slope;
    addRow(areas, y * stride, stride, Math.min(from, to), Math.max(from, to), direction * (bottom - top));
  }
}

/** Adds the part of an edge within one row: spreads `area` over the columns from `left` to `right`. */
function addRow(areas: Float32Array, row: number, stride: number, left: number, right: number, area: number): void {
  const limit = stride - 2;
  const [low, high] = [clamp(left, limit), clamp(right, limit)];
  const first = Math.floor(low);
  const last = Math.floor(high);
  const span = high - low;
  for (let column = first; column <= last; column++) {
    const a = Math.max(low, column);
    const b = Math.min(high, column + 1);
    const part = span > 0 ? area * ((b - a) / span) : area;
    const beyond = (a + b) / 2 - column;
    areas[row + column] = (areas[row + column] ?? 0) + part * (1 - beyond);
    areas[row + column + 1] = (areas[row + column + 1] ?? 0) + part * beyond;
  }
}

function clamp(value: number, limit: number): number {
  return Math.min(limit, Math.max(0, value));
}
