import { measureText } from './drawText.ts';

/**
 * Breaks a text into lines.
 *
 * @param width of a line, in em
 * @param most lines; a longer text ends in an ellipsis
 */
export function wrapText(text: string, width: number, most: number): readonly string[] {
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
    if (lines.length === most) break;
  }
  if (lines.length < most) return line === '' ? lines : [...lines, line];
  return lines.map((full, index) => (index === most - 1 ? shorten(full, width) : full));
}

/** The words of a text; one that is wider than a line comes in parts. */
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
