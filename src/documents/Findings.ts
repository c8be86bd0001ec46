import { maskCharacter } from './Mask.ts';
import type { MediaKind, MediaReference, ReferenceForm, TextRange } from './MediaReference.ts';
import { mediaKindOf, withoutQuery } from './MediaReference.ts';

/** A reference as found by a language's reader. */
export interface Found {
  readonly form: ReferenceForm;
  readonly start: number;
  readonly end: number;
  readonly address: string;
  readonly alt?: TextRange | undefined;
  readonly folders?: readonly string[] | undefined;
  /** Set if the name does not show it, as in LaTeX, which omits extensions. */
  readonly kind?: MediaKind;
}

interface Heading {
  readonly start: number;
  readonly text: string;
}

const noFolders: readonly string[] = [];

/** Collects what the languages' readers find, and keeps the references to local media. */
export class Findings {
  readonly #text: string;
  readonly #found: (Found & { readonly kind: MediaKind })[] = [];
  readonly #headings: Heading[] = [];
  #title = '';

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds a reference if it leads to a local picture, sound or video. */
  reference(found: Found): void {
    const { address, start, end } = found;
    if (end <= start || !isLocal(address)) return;
    const kind = found.kind ?? mediaKindOf(withoutQuery(address));
    if (kind) this.#found.push({ ...found, kind });
  }

  heading(start: number, text: string): void {
    this.#headings.push({ start, text });
  }

  /** Sets the document's title; only the first call has an effect. */
  title(text: string): void {
    this.#title ||= plain(text);
  }

  /** Returns all references in document order. */
  all(): readonly MediaReference[] {
    const headings = this.#headings.sort((a, b) => a.start - b.start);
    let [line, next] = [0, 0];
    let lineEnd = this.#text.indexOf('\n');
    let heading = this.#title;
    return this.#found
      .sort((a, b) => a.start - b.start)
      .map(({ form, kind, start, end, address, alt, folders = noFolders }) => {
        for (; lineEnd !== -1 && lineEnd < start; lineEnd = this.#text.indexOf('\n', lineEnd + 1)) line++;
        const before = next;
        while ((headings[next]?.start ?? Number.POSITIVE_INFINITY) < start) next++;
        if (next > before) heading = plain(headings[next - 1]?.text ?? '') || heading;
        const altText = alt ? plain(this.#text.slice(alt.start, alt.end)) : '';
        return { form, kind, range: { start, end }, address, alt, altText, line, heading, folders };
      });
  }
}

/** Returns false for web addresses, inline data and addresses that a template computes. */
function isLocal(address: string): boolean {
  return (
    !/^(?:[a-z][a-z\d+.-]*:|\/\/|#|\?)/i.test(address) && !/[{}<>\n]/.test(address) && !address.includes(maskCharacter)
  );
}

/** Returns the text on one line, without Markdown and HTML markup. */
function plain(text: string): string {
  return text
    .slice(0, 500)
    .replace(/<[^<>]*>/g, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
