/** Stands for what is no text of the document, such as code and comments. No reference holds it. */
export const maskCharacter = '\uE000';

/** Takes parts out of a text that are not to be searched; all offsets and line breaks stay. */
export class Mask {
  readonly #text: string;
  readonly #ranges: (readonly [start: number, end: number])[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  hide(start: number, end: number): void {
    if (end > start) this.#ranges.push([start, end]);
  }

  /** The text with all that was hidden replaced by {@link maskCharacter}. */
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
 * Hides everything from one delimiter to the next that closes it. One that is never closed hides nothing.
 *
 * @param pairs opening and closing delimiters
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
      // Nothing further on closes it either: without this the rest would be searched again and again.
      unclosed.add(opener);
      continue;
    }
    mask.hide(match.index, close + closer.length);
    openers.lastIndex = close + closer.length;
  }
}

/** Expressions of template languages: Liquid, Jinja, Go, Vue, Handlebars, ERB, PHP. */
export const templatePairs = { '{{': '}}', '{%': '%}', '<%': '%>', '<?': '?>' } as const;
