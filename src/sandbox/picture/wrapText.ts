import { measureText } from './drawText.ts';

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
