/** Offsets into the text of a document, in UTF-16 code units; `end` is behind the last one. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type MediaKind = 'image' | 'audio' | 'video';

/**
 * How a document refers to a file, which decides who resolves the address:
 *
 * - `inline`: `![alt](href)` or `[text](href)` of Markdown
 * - `definition`: `[label]: href` of Markdown
 * - `tag`: an attribute of HTML, also inside of Markdown, JSX and components
 * - `frontMatter`: `image: href` above a document
 * - `style`: `url(href)` of CSS
 * - `module`: `import`, `require()` or `new URL(…, import.meta.url)`
 * - `macro`: the form of LaTeX, AsciiDoc and reStructuredText
 */
export type ReferenceForm = 'inline' | 'definition' | 'tag' | 'frontMatter' | 'style' | 'module' | 'macro';

/** A reference to a local picture, sound or video. */
export interface MediaReference {
  readonly kind: MediaKind;
  readonly form: ReferenceForm;
  /** Of the href as it is written. */
  readonly range: TextRange;
  /** What the href means once the escapes of the document's language are undone; still percent-encoded. */
  readonly address: string;
  /** Of the alternative text, or of the title of a sound or video. It is empty where the form has a place for it and nothing is there. */
  readonly alt: TextRange | undefined;
  /** The alternative text in one line; empty without one. */
  readonly altText: string;
  /** Counts from 0. */
  readonly line: number;
  /** The nearest heading above it, else the document's title, else empty. */
  readonly heading: string;
  /** Folders that the document names for its media (`\graphicspath`, `:imagesdir:`), as they are written. */
  readonly folders: readonly string[];
}

const kinds: Readonly<Record<string, MediaKind>> = Object.fromEntries([
  ...['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp', 'svg', 'ico', 'apng'].map((name) => [name, 'image']),
  ...['mp3', 'wav', 'ogg', 'oga', 'opus', 'flac', 'aac', 'm4a'].map((name) => [name, 'audio']),
  ...['mp4', 'webm', 'mov', 'm4v', 'ogv'].map((name) => [name, 'video']),
]);

/** Of pictures, sounds and videos, without the dot. */
export const mediaExtensions: readonly string[] = Object.keys(kinds);

/** What a file is by its name; undefined for what is no picture, sound or video. */
export function mediaKindOf(path: string): MediaKind | undefined {
  const extension = /\.(\w{2,4})$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(kinds, extension) ? kinds[extension] : undefined;
}

/** An address without its query and fragment. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}
