/** The data at the top of a document, between two fences. Offsets count from the start of the text; `end` is exclusive. */
export interface FrontMatter {
  readonly format: 'yaml' | 'toml';
  /** Start of the data, after the line of the opening fence. */
  readonly start: number;
  /** End of the data, at the closing fence. */
  readonly end: number;
  /** Start of the line after the closing fence. */
  readonly after: number;
}

const opening = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/;
const closings = {
  yaml: /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m,
  toml: /^\+\+\+[ \t]*(?:\r?\n|$)/m,
} as const;

/** Returns the front matter of a text; undefined if it has none, or if it is not closed. */
export function frontMatterIn(text: string): FrontMatter | undefined {
  const [whole, fence] = opening.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const format = fence === '---' ? 'yaml' : 'toml';
  const start = whole.length;
  const closing = closings[format].exec(text.slice(start));
  if (!closing) return undefined;
  const end = start + closing.index;
  return { format, start, end, after: end + closing[0].length };
}
