import { drawText, measureText } from './drawText.ts';
import type { Colour, Picture } from './Picture.ts';
import { fillRounded } from './Picture.ts';
import { wrapText } from './wrapText.ts';

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
export function drawCaption(picture: Picture, { text, note, panel, accent, opacity = 0.74 }: Caption): void {
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
export function drawLabel(picture: Picture, colours: CaptionColours): void {
  const unit = unitOf(picture);
  const size = 24 * unit;
  drawPill(picture, 44 * unit, picture.height - 44 * unit - size * 1.7, size, colours);
}

/** Draws the label "sandbox". @returns its width */
function drawPill(
  picture: Picture,
  left: number,
  top: number,
  size: number,
  { panel, accent }: CaptionColours,
): number {
  const width = measureText('sandbox') * size + size * 1.3;
  fillRounded(picture, [left, top, left + width, top + size * 1.7], size, accent, 1);
  drawText(picture, 'sandbox', left + size * 0.65, top + size * 1.17, { size, colour: panel });
  return width;
}

/** Returns the scale of a picture: sizes are for 1024 × 1024 pixels. */
function unitOf({ width, height }: Picture): number {
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
