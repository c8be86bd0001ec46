import type { Bitmap } from '../../images/codecs/Bitmap.ts';
import glyphs from './glyphs.json' with { type: 'json' };
import { blendPixel, type Colour, fillRounded } from './Picture.ts';

export interface CaptionColours {
  readonly panel: Colour;
  readonly accent: Colour;
}

export interface Caption extends CaptionColours {
  readonly text: string;
  /** A word or two next to the "sandbox" label. */
  readonly note: string;
  /** Opacity of the panel, 0 to 1: high if it may cover other text. */
  readonly opacity?: number;
}

const white: Colour = [255, 255, 255];

/** Draws a panel over the lower part of a picture with the label "sandbox", the note and the wrapped text. */
export function drawCaption(picture: Bitmap, { text, note, panel, accent, opacity = 0.74 }: Caption): void {
  const unit = unitOf(picture);
  const margin = 44 * unit;
  const padding = 36 * unit;
  const inner = picture.width - 2 * (margin + padding);
  const { lines, size } = fitText(text, inner, unit);
  const leading = size * 1.34;
  const label = 24 * unit;
  const height = padding * 2 + label * 1.9 + leading * lines.length + size * 0.1;
  const top = picture.height - margin - height;
  fillRounded(picture, [margin, top, picture.width - margin, picture.height - margin], 28 * unit, panel, opacity);

  const left = margin + padding;
  const pill = drawPill(picture, left, top + padding * 0.85, label, { panel, accent });
  const noteBaseline = top + padding * 0.85 + label * 1.17;
  drawText(picture, note, left + pill + label * 0.7, noteBaseline, { size: label, colour: accent });
  for (const [index, line] of lines.entries()) {
    const baseline = top + padding + label * 1.9 + leading * (index + 0.86);
    drawText(picture, line, left, baseline, { size, colour: white });
  }
}

/** Draws only the label "sandbox", in the lower left corner. */
export function drawLabel(picture: Bitmap, colours: CaptionColours): void {
  const unit = unitOf(picture);
  const size = 24 * unit;
  drawPill(picture, 44 * unit, picture.height - 44 * unit - size * 1.7, size, colours);
}

/** Draws the label "sandbox". @returns its width */
function drawPill(picture: Bitmap, left: number, top: number, size: number, { panel, accent }: CaptionColours): number {
  const width = measureText('sandbox') * size + size * 1.3;
  fillRounded(picture, [left, top, left + width, top + size * 1.7], size, accent, 1);
  drawText(picture, 'sandbox', left + size * 0.65, top + size * 1.17, { size, colour: panel });
  return width;
}

/** Returns the scale of a picture: sizes are for 1024 × 1024 pixels. */
function unitOf({ width, height }: Bitmap): number {
  return Math.min(width, height * 1.3) / 1024;
}

/** Wraps the text in the largest font size that fits. */
function fitText(
  text: string,
  width: number,
  unit: number,
): { readonly lines: readonly string[]; readonly size: number } {
  const sizes: readonly (readonly [number, number])[] = [
    [50, 2],
    [42, 4],
    [34, 6],
    [28, 9],
  ];
  for (const [size, most] of sizes) {
    const lines = wrapText(text, width / (size * unit), most + 1);
    if (lines.length <= most) return { lines, size: size * unit };
  }
  const size = 24 * unit;
  return { lines: wrapText(text, width / size, 13), size };
}

/**
 * Breaks a text into lines.
 *
 * @param width maximum width of a line, in em
 * @param maxLines a longer text ends in an ellipsis
 */
export function wrapText(text: string, width: number, maxLines: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of pieces(text, width)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measureText(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
    if (lines.length === maxLines) break;
  }
  if (lines.length < maxLines) return line === '' ? lines : [...lines, line];
  return lines.map((full, index) => (index === maxLines - 1 ? shorten(full, width) : full));
}

/** Yields the words of a text, in parts if a word is wider than a line. */
function* pieces(text: string, width: number): Generator<string> {
  for (const word of text.normalize('NFC').split(/\s+/)) {
    let part = '';
    for (const character of word) {
      if (part !== '' && measureText(part + character) > width) {
        yield part;
        part = '';
      }
      part += character;
    }
    if (part !== '') yield part;
  }
}

function shorten(line: string, width: number): string {
  let characters = Array.from(line);
  while (characters.length > 0 && measureText(`${characters.join('')}…`) > width) characters = characters.slice(0, -1);
  return `${characters.join('').trimEnd()}…`;
}

/** Draws one line of text with its baseline at `y`. */
function drawText(
  picture: Bitmap,
  text: string,
  x: number,
  y: number,
  {
    size,
    colour,
  }: {
    /** Font size, in pixels per em. */
    readonly size: number;
    readonly colour: Colour;
  },
): void {
  let pen = x;
  for (const character of text) {
    const glyph = glyphOf(character);
    const left = Math.floor(pen - size * 0.3);
    const top = Math.floor(y - size * 1.1);
    const outline = glyph.contours.map((contour) =>
      contour.map((value, index) => value * size + (index % 2 === 0 ? pen - left : y - top)),
    );
    const width = Math.ceil((glyph.advance + 0.7) * size) + 1;
    const coverage = fillOutline(outline, width, Math.ceil(size * 1.5));
    for (let row = 0; row < coverage.height; row++) {
      for (let column = 0; column < width; column++) {
        const cover = coverage.data[row * width + column] ?? 0;
        const [atX, atY] = [left + column, top + row];
        if (cover < 0.004 || atX < 0 || atY < 0 || atX >= picture.width || atY >= picture.height) continue;
        blendPixel(picture.data, (atY * picture.width + atX) * 4, colour, cover);
      }
    }
    pen += glyph.advance * size;
  }
}

/** Returns the width of a line, in em. */
export function measureText(text: string): number {
  let width = 0;
  for (const character of text) width += advanceOf(character);
  return width;
}

/** The shape of a character: lengths in em, y downwards from the baseline; contours are polygons x, y, x, y, … */
interface Glyph {
  readonly advance: number;
  readonly contours: readonly (readonly number[])[];
}

const unitsPerEm = 500;
/** Number of straight lines per curve: enough for a font size of 60 pixels. */
const curveSteps = 4;
/** Shape of joiners, variation selectors, control characters and marks that the font does not have. */
const invisible: Glyph = { advance: 0, contours: [] };
const encoded: Readonly<Record<string, string>> = glyphs;
const missing: Glyph = { advance: 0.64, contours: [box(0.07, -0.72, 0.57, 0), box(0.52, -0.67, 0.12, -0.05)] };

/** Returns the shape of a character: Inter Medium for Latin, Greek and Cyrillic, a box for all others. */
function glyphOf(character: string): Glyph {
  const data = Object.hasOwn(encoded, character) ? encoded[character] : undefined;
  return data === undefined ? unknown(character) : decode(data);
}

/** Returns the advance width of a character, in em. */
function advanceOf(character: string): number {
  const data = Object.hasOwn(encoded, character) ? encoded[character] : undefined;
  return data === undefined ? unknown(character).advance : Number.parseInt(data, 10) / unitsPerEm;
}

function unknown(character: string): Glyph {
  return /[\p{M}\p{Cf}\p{Cc}]/u.test(character) ? invisible : missing;
}

function decode(data: string): Glyph {
  const contours: number[][] = [];
  let [x, y] = [0, 0];
  for (const [, command, numbers = ''] of data.matchAll(/([mlq])([^mlq]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0] = (numbers.match(/-?\d+/g) ?? []).map((digits) => Number(digits) / unitsPerEm);
    if (command === 'm') contours.push([]);
    const contour = contours.at(-1);
    if (command === 'q') {
      for (let step = 1; step <= curveSteps; step++) {
        const share = step / curveSteps;
        const control = 2 * share * (1 - share);
        contour?.push(x + control * a + share ** 2 * c, y + control * b + share ** 2 * d);
      }
      [x, y] = [x + c, y + d];
    } else {
      [x, y] = [x + a, y + b];
      contour?.push(x, y);
    }
  }
  return { advance: Number.parseInt(data, 10) / unitsPerEm, contours };
}

function box(left: number, top: number, right: number, bottom: number): readonly number[] {
  return [left, top, right, top, right, bottom, left, bottom];
}

/**
 * Fills an outline with exact anti-aliasing: every edge adds its signed area to the pixels it crosses, and the sum from
 * the left is the coverage (the algorithm of font-rs). All contours must have the same winding, as in fonts.
 *
 * @param outline closed polygons, each a list x, y, x, y, … in pixels
 * @returns the share of each pixel that an outline covers, about 0 to 1: rounding may exceed it
 */
function fillOutline(
  outline: readonly (readonly number[])[],
  width: number,
  height: number,
): { readonly width: number; readonly height: number; readonly data: Float32Array } {
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
