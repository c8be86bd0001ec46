/** Range of a line, without its line break. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

/** Yields the lines of a text, starting at an offset. */
export function* linesOf(text: string, from = 0): Generator<Line> {
  for (let start = from; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield { start, end: end > start && text[end - 1] === '\r' ? end - 1 : end };
    start = end + 1;
  }
}
