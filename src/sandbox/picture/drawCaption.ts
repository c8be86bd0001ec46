import { drawText, measureText } from './drawText.ts';
import type { Colour, Picture } from './Picture.ts';
import { blendPixel } from './Picture.ts';
import { wrapText } from './wrapText.ts';

export interface Caption {
  readonly text: string;
  /** A word or two beside the sandbox's label. */
  readonly note: string;
  readonly panel: Colour;
  readonly accent: Colour;
}

const white: Colour = [255, 255, 255];

/** Lays a calm panel over the lower part of a picture, with the label "sandbox" and the text, wrapped. */
export function drawCaption(picture: Picture, { text, note, panel, accent }: Caption): void {
  const unit = Math.min(picture.width, picture.height * 1.3) / 1024;
  const margin = 44 * unit;
  const padding = 36 * unit;
  const inner = picture.width - 2 * (margin + padding);
  const { lines, size } = layOut(text, inner, unit);
  const leading = size * 1.34;
  const label = 24 * unit;
  const height = padding * 2 + label * 1.9 + leading * lines.length + size * 0.1;
  const top = picture.height - margin - height;
  fillPanel(picture, [margin, top, picture.width - margin, picture.height - margin], 28 * unit, panel, 0.74);

  const left = margin + padding;
  const pill = measureText('sandbox') * label + label * 1.3;
  fillPanel(picture, [left, top + padding * 0.85, left + pill, top + padding * 0.85 + label * 1.7], label, accent, 1);
  const labelBaseline = top + padding * 0.85 + label * 1.17;
  drawText(picture, 'sandbox', left + label * 0.65, labelBaseline, { size: label, colour: panel });
  drawText(picture, note, left + pill + label * 0.7, labelBaseline, { size: label, colour: accent });
  for (const [index, line] of lines.entries()) {
    const baseline = top + padding + label * 1.9 + leading * (index + 0.86);
    drawText(picture, line, left, baseline, { size, colour: white });
  }
}

/** The largest letters with which the text fits. */
function layOut(
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

/** A rectangle with round corners. @param opacity 0 to 1 */
function fillPanel(
  { width, height, data }: Picture,
  [left, top, right, bottom]: readonly [number, number, number, number],
  radius: number,
  colour: Colour,
  opacity: number,
): void {
  const round = Math.min(radius, (bottom - top) / 2);
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y++) {
    const dy = Math.max(top + round - (y + 0.5), y + 0.5 - (bottom - round), 0);
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x++) {
      const dx = Math.max(left + round - (x + 0.5), x + 0.5 - (right - round), 0);
      const cover = Math.min(1, Math.max(0, round - Math.sqrt(dx * dx + dy * dy) + 0.5));
      if (cover > 0) blendPixel(data, (y * width + x) * 4, colour, cover * opacity);
    }
  }
}
