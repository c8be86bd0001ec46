/** Replaces parts that are not searched, such as code and comments. No reference contains it. */
export const maskCharacter = '\uE000';

/** Hides parts of a text from a search; offsets and line breaks stay the same. */
export class Mask {
  readonly #text: string;
  readonly #ranges: (readonly [start: number, end: number])[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  hide(start: number, end: number): void {
    if (end > start) this.#ranges.push([start, end]);
  }

  /** Returns the text with all hidden parts replaced by {@link maskCharacter}. */
  apply(): string {
    if (this.#ranges.length === 0) return this.#text;
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of this.#ranges.sort(([a], [b]) => a - b)) {
      if (end <= done) continue;
      const from = Math.max(start, done);
      parts.push(this.#text.slice(done, from), hidden(this.#text.slice(from, end)));
      done = end;
    }
    parts.push(this.#text.slice(done));
    return parts.join('');
  }
}

function hidden(part: string): string {
  return part.includes('\n')
    ? part.replace(/[^\r\n]+/g, (line) => maskCharacter.repeat(line.length))
    : maskCharacter.repeat(part.length);
}

/**
 * Hides everything between delimiters, including them. An unclosed delimiter hides nothing.
 *
 * @param pairs closing delimiters by opening ones
 */
export function hidePairs(text: string, pairs: Readonly<Record<string, string>>, mask: Mask): void {
  const openers = new RegExp(
    Object.keys(pairs)
      .map((opener) => opener.replace(/[{}%|?*.\\]/g, '\\$&'))
      .join('|'),
    'g',
  );
  const unclosed = new Set<string>();
  for (let match = openers.exec(text); match; match = openers.exec(text)) {
    const [opener] = match;
    if (unclosed.has(opener)) continue;
    const closer = pairs[opener] ?? '';
    const close = text.indexOf(closer, match.index + opener.length);
    if (close === -1) {
      // Later ones are not closed either. Remembering that keeps the search linear.
      unclosed.add(opener);
      continue;
    }
    mask.hide(match.index, close + closer.length);
    openers.lastIndex = close + closer.length;
  }
}

/** Delimiters of template expressions in Liquid, Jinja, Go, Vue, Handlebars, ERB and PHP. */
export const templatePairs = { '{{': '}}', '{%': '%}', '<%': '%>', '<?': '?>' } as const;
