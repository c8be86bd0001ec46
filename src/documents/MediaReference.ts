/** Offsets into a document's text, in UTF-16 code units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type MediaKind = 'image' | 'audio' | 'video';

/**
 * Form of a reference. It decides who resolves the address:
 *
 * - `inline`: `![alt](href)` or `[text](href)` of Markdown
 * - `definition`: `[label]: href` of Markdown
 * - `tag`: an attribute of HTML, also in Markdown, JSX and components
 * - `frontMatter`: `image: href` in the front matter of a document
 * - `style`: `url(href)` of CSS
 * - `module`: `import`, `require()` or `new URL(…, import.meta.url)`
 * - `macro`: a command, macro or directive of LaTeX, AsciiDoc and reStructuredText, and `{% asset_img %}` of Hexo
 * - `site`: an address from the top of the site in an expression that adds the base path, such as `useBaseUrl('/x.png')`
 */
export type ReferenceForm = 'inline' | 'definition' | 'tag' | 'frontMatter' | 'style' | 'module' | 'macro' | 'site';

/** A reference to a local picture, sound or video. */
export interface MediaReference {
  readonly kind: MediaKind;
  readonly form: ReferenceForm;
  /** Name of the element or component around a `tag`, as written. */
  readonly element?: string;
  /** Range of the address as written. */
  readonly range: TextRange;
  /** Address without the escapes of the document's language; still percent-encoded. */
  readonly address: string;
  /**
   * Range of the alternative text, or of the title of a sound or video. The range is empty if the form has a place for
   * the text and nothing is there.
   */
  readonly alt: TextRange | undefined;
  /** Alternative text on one line; empty if there is none or a template computes it. */
  readonly altText: string;
  /** Line number, starting at 0. */
  readonly line: number;
  /** Nearest heading above, otherwise the document's title, otherwise empty. */
  readonly heading: string;
  /** Folders that the document sets for its media (`\graphicspath`, `:imagesdir:`), as written. */
  readonly folders: readonly string[];
}

const kinds: Readonly<Record<string, MediaKind>> = Object.fromEntries([
  ...['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp', 'svg', 'ico', 'apng'].map((name) => [name, 'image']),
  ...['mp3', 'wav', 'ogg', 'oga', 'opus', 'flac', 'aac', 'm4a'].map((name) => [name, 'audio']),
  ...['mp4', 'webm', 'mov', 'm4v', 'ogv'].map((name) => [name, 'video']),
]);

/** File extensions of pictures, sounds and videos, without the dot. */
export const mediaExtensions: readonly string[] = Object.keys(kinds);

/** Returns what kind of medium a file is, by its extension; undefined for all other files. */
export function mediaKindOf(path: string): MediaKind | undefined {
  const extension = /\.(\w{2,4})$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(kinds, extension) ? kinds[extension] : undefined;
}

/** Returns an address without its query and fragment. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}
