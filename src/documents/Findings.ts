import { maskCharacter } from './Mask.ts';
import type { MediaKind, MediaReference, ReferenceForm, TextRange } from './MediaReference.ts';
import { mediaKindOf, withoutQuery } from './MediaReference.ts';

/** A reference as a language's reader finds it. */
export interface Found {
  readonly form: ReferenceForm;
  readonly start: number;
  readonly end: number;
  readonly address: string;
  readonly alt?: TextRange | undefined;
  readonly folders?: readonly string[] | undefined;
  /** Where the name does not tell it: LaTeX leaves extensions out. */
  readonly kind?: MediaKind;
}

interface Heading {
  readonly start: number;
  readonly text: string;
}

const noFolders: readonly string[] = [];

/** Collects what the readers of languages find, and keeps what refers to local media. */
export class Findings {
  readonly #text: string;
  readonly #found: (Found & { readonly kind: MediaKind })[] = [];
  readonly #headings: Heading[] = [];
  #title = '';

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds a reference where it is one to a local picture, sound or video. */
  reference(found: Found): void {
    const { address, start, end } = found;
    if (end <= start || !isLocal(address)) return;
    const kind = found.kind ?? mediaKindOf(withoutQuery(address));
    if (kind) this.#found.push({ ...found, kind });
  }

  heading(start: number, text: string): void {
    this.#headings.push({ start, text });
  }

  /** The first one counts. */
  title(text: string): void {
    this.#title ||= plain(text);
  }

  /** In the order of the document. */
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

/** Not on the web, not inline data, not put together by a template. */
function isLocal(address: string): boolean {
  return (
    !/^(?:[a-z][a-z\d+.-]*:|\/\/|#|\?)/i.test(address) && !/[{}<>\n]/.test(address) && !address.includes(maskCharacter)
  );
}

/** Words in one line, without the markup of headings and alternative texts. */
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
