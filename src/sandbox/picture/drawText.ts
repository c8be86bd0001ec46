import { fillOutline } from './fillOutline.ts';
import { advanceOf, glyphOf } from './glyphOf.ts';
import type { Colour, Picture } from './Picture.ts';
import { blendPixel } from './Picture.ts';

export interface TextStyle {
  /** Font size, in pixels per em. */
  readonly size: number;
  readonly colour: Colour;
}

/** Draws one line of text with its baseline at `y`. */
export function drawText(picture: Picture, text: string, x: number, y: number, { size, colour }: TextStyle): void {
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
