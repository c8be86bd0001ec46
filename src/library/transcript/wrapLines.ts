import { blanklessScripts } from './joinTexts.ts';

/** In columns; a character of a wide script takes two. */
const maxLineLength = 42;
const blankless = new RegExp(`[${blanklessScripts}]`, 'u');
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u;
const words = new Intl.Segmenter('und', { granularity: 'word' });

interface Piece {
  readonly text: string;
  /** Space between this piece and the one before it, or nothing. */
  readonly blank: string;
}

/** Wraps a text into lines of similar length, at most 42 columns each unless a single word is longer. */
export function wrapLines(text: string): readonly string[] {
  const pieces = piecesOf(text);
  const lines = wrap(pieces, maxLineLength);
  // The smallest width that needs no more lines gives lines of similar length.
  for (let width = Math.ceil(columns(text) / Math.max(1, lines.length)); width < maxLineLength; width++) {
    const narrow = wrap(pieces, width);
    if (narrow.length <= lines.length) return narrow;
  }
  return lines;
}

function wrap(pieces: readonly Piece[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const { text, blank } of pieces) {
    const length = columns(text);
    if (line !== '' && taken + blank.length + length > width) {
      lines.push(line);
      line = '';
      taken = 0;
    }
    if (line !== '') taken += blank.length;
    line += line === '' ? text : blank + text;
    taken += length;
  }
  return line === '' ? lines : [...lines, line];
}

/** Splits a text into words, also in scripts without spaces. Punctuation stays with its word. */
function piecesOf(text: string): readonly Piece[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => innerWords(word).map((inner, index) => ({ text: inner, blank: index === 0 ? ' ' : '' })));
}

function innerWords(word: string): readonly string[] {
  if (!blankless.test(word)) return [word];
  const pieces: string[] = [];
  for (const { segment, isWordLike } of words.segment(word)) {
    const last = pieces.at(-1);
    const belongs = last !== undefined && (isWordLike !== true ? !/^[\p{Ps}\p{Pi}]/u.test(segment) : isOpening(last));
    if (belongs) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}

function isOpening(piece: string): boolean {
  return /[\p{Ps}\p{Pi}]$/u.test(piece);
}

function columns(text: string): number {
  let sum = 0;
  for (const character of text) {
    if (wide.test(character)) sum += 2;
    else if (!/[\p{M}\p{Cf}]/u.test(character)) sum += 1;
  }
  return sum;
}
