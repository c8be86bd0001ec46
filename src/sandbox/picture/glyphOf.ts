import glyphs from './glyphs.json' with { type: 'json' };

/** The shape of a character: lengths in em, y downwards from the baseline; contours are polygons x, y, x, y, … */
export interface Glyph {
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
export function glyphOf(character: string): Glyph {
  const data = Object.hasOwn(encoded, character) ? encoded[character] : undefined;
  return data === undefined ? unknown(character) : decode(data);
}

/** Returns the advance width of a character, in em. */
export function advanceOf(character: string): number {
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
