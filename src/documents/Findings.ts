import { withoutEntities } from './characterReferences.ts';
import type { Language } from './Language.ts';
import {
  type MediaKind,
  type MediaReference,
  mediaKindOf,
  type ReferenceForm,
  type TextRange,
  withoutQuery,
} from './MediaReference.ts';

/** Range of a line, without its line break. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Yields the lines of a text, starting at an offset. */
export function* linesOf(text: string, from = 0): Generator<LineRange> {
  for (let start = from; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield { start, end: end > start && text[end - 1] === '\r' ? end - 1 : end };
    start = end + 1;
  }
}

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
 * @param onHidden called with each opening delimiter and the range that is hidden
 */
export function hidePairs(
  text: string,
  pairs: Readonly<Record<string, string>>,
  mask: Mask,
  onHidden: (opener: string, range: TextRange) => void = () => undefined,
): void {
  const escaped = Object.keys(pairs).map((opener) => opener.replace(/[{}%|?*.\\]/g, '\\$&'));
  const openers = new RegExp(escaped.join('|'), 'g');
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
    onHidden(opener, { start: match.index, end: close + closer.length });
    openers.lastIndex = close + closer.length;
  }
}

/** Delimiters of template expressions in Liquid, Jinja, Go, Vue, Handlebars, ERB and PHP. */
export const templatePairs = { '{{': '}}', '{%': '%}', '<%': '%>', '<?': '?>' } as const;

/** A reference as found by a language's reader. */
export interface FoundReference {
  readonly form: ReferenceForm;
  readonly element?: string;
  readonly start: number;
  readonly end: number;
  readonly address: string;
  readonly alt?: TextRange;
  readonly folders?: readonly string[];
  /** Set if the name does not show it, as in LaTeX, which omits extensions. */
  readonly kind?: MediaKind;
}

const noFolders: readonly string[] = [];

/** Collects what the languages' readers find, and keeps the references to local media. */
export class Findings {
  readonly #text: string;
  /** References by their start. */
  readonly #found = new Map<number, FoundReference & { readonly kind: MediaKind }>();
  /** Addresses in template expressions by the start of the expression. */
  readonly #expressions = new Map<number, { readonly end: number; readonly found: FoundReference }>();
  readonly #headings: { readonly start: number; readonly text: string }[] = [];
  #title = '';
  readonly #language: Language;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
  }

  /**
   * Adds a reference if it leads to a local picture, sound or video. Of a template expression it adds the address that
   * is in it. Of two at the same place, the one that is described counts.
   */
  reference(written: FoundReference): void {
    const inner = this.expressionAt(written);
    const found = inner ? { ...inner, alt: written.alt ?? inner.alt } : written;
    const { address, start, end, alt } = found;
    if (end <= start || !isLocal(address, found.form)) return;
    const kind = found.kind ?? mediaKindOf(withoutQuery(address));
    if (kind && (alt || !this.#found.has(start))) this.#found.set(start, { ...found, kind });
  }

  /** Adds a template expression with a literal address. */
  expression({ start, end }: TextRange, found: FoundReference): void {
    this.#expressions.set(start, { end, found });
  }

  /** Returns the literal address of the expression that fills a range. */
  expressionAt({ start, end }: TextRange): FoundReference | undefined {
    const expression = this.#expressions.get(start);
    return expression?.end === end ? expression.found : undefined;
  }

  heading(start: number, text: string): void {
    this.#headings.push({ start, text });
  }

  /** Sets the document's title; only the first call has an effect. */
  title(text: string): void {
    this.#title ||= this.#plain(text);
  }

  /** The document's title, else its first heading; empty without one. */
  get documentTitle(): string {
    const [first] = this.#headings.toSorted((a, b) => a.start - b.start);
    return this.#title || this.#plain(first?.text ?? '');
  }

  /** Returns all references in document order. */
  all(): readonly MediaReference[] {
    for (const { found } of this.#expressions.values()) this.reference(found);
    const headings = this.#headings.sort((a, b) => a.start - b.start);
    let [line, next] = [0, 0];
    let lineEnd = this.#text.indexOf('\n');
    let heading = this.#title;
    return [...this.#found.values()]
      .sort((a, b) => a.start - b.start)
      .map(({ form, element, kind, start, end, address, alt, folders = noFolders }) => {
        for (; lineEnd !== -1 && lineEnd < start; lineEnd = this.#text.indexOf('\n', lineEnd + 1)) line++;
        const before = next;
        while ((headings[next]?.start ?? Number.POSITIVE_INFINITY) < start) next++;
        if (next > before) heading = this.#plain(headings[next - 1]?.text ?? '') || heading;
        const written = alt ? this.#text.slice(alt.start, alt.end) : '';
        const altText = isComputed(written, form) ? '' : this.#plain(written, form);
        return { form, element, kind, range: { start, end }, address, alt, altText, line, heading, folders };
      });
  }

  /** Returns a heading or an alternative text on one line, as readers get it. @param form of the reference that has it */
  #plain(written: string, form?: ReferenceForm): string {
    const text = written.slice(0, 500);
    const isAttribute = form === 'tag' || form === 'site' || form === 'module';
    const untagged = isAttribute ? text : text.replace(/<[^<>]*>/g, '');
    const plain = isAttribute || !hasMarks.has(this.#language) ? untagged : withoutMarks(untagged);
    const decoded = keepsEntities.has(this.#language) ? plain : withoutEntities(plain);
    return decoded.replace(/\s+/g, ' ').trim();
  }
}

/** A name between percent signs, which a build tool replaces in HTML: `%VITE_CDN%`. Encoded bytes are none. */
const placeholder = /%(?:BASE_URL|(?![\da-f]{2})[a-z][\w.]{2,50}|[a-z][\w.]{2,50}(?=%(?![\da-f]{2})))%/i;

/** Returns false for web addresses, inline data and addresses that a template computes. */
function isLocal(address: string, form: ReferenceForm): boolean {
  const isElsewhere =
    form === 'macro'
      ? // A macro of AsciiDoc names a module in this way: `module:fox.png`.
        /^(?:[a-z][a-z\d+.-]*:\/|[a-z]:|data:|\/\/|#|\?)/i
      : /^(?:[a-z][a-z\d+.-]*:|\/\/|#|\?)/i;
  const isTemplate = /[{}<>\n]/.test(address) || (['tag', 'site'].includes(form) && placeholder.test(address));
  return !isElsewhere.test(address) && !isTemplate && !address.includes(maskCharacter);
}

/** Whether a template computes a text. Braces in a macro are those of LaTeX, which group words. */
function isComputed(text: string, form: ReferenceForm): boolean {
  const unescaped = form === 'inline' ? text.replace(/\\[{}]/g, '') : text;
  return form !== 'macro' && /\{|<[%?]/.test(unescaped);
}

/** Languages whose text has marks, such as asterisks around words. */
const hasMarks: ReadonlySet<Language> = new Set(['markdown', 'mdx', 'asciidoc', 'restructuredtext', 'latex']);

/** Languages in which an ampersand is nothing but that. */
const keepsEntities: ReadonlySet<Language> = new Set(['restructuredtext', 'latex', 'script']);

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '');
}
