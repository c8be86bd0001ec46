import type { Language } from '../documents/Language.ts';
import type { ReferenceForm } from '../documents/MediaReference.ts';

/** A document as far as its project needs it. Paths are absolute, with forward slashes; a drive as `/c:/`, as in a URI. */
export interface PlacedDocument {
  readonly path: string;
  readonly language: Language;
}

/** What is asked of the file system. */
export interface ProjectFiles {
  /** Whether a file or a folder is there. */
  exists(path: string): Promise<boolean>;
  /** The text of a file; undefined where there is none. */
  readText(path: string): Promise<string | undefined>;
}

/** A folder whose files are referred to by an address that begins with a prefix. */
export interface AssetRoot {
  readonly folder: string;
  /** Such as `/`, `assets/` or `res://`. */
  readonly prefix: string;
  /** Whether references to its files are resolved, but none are written. */
  readonly isOnlyRead?: boolean;
}

/** How references of one form are resolved in the documents of one language. */
export interface Rules {
  /**
   * What a relative address starts from: the `file` that holds it, the `page` that is made of it, the `root` of the site,
   * or `nothing`, because it does not work.
   */
  readonly relative: 'file' | 'page' | 'root' | 'nothing';
  /** Whether a file in a root is referred to by the root's prefix. */
  readonly usesRoots: boolean;
  /** Whether an address in the same folder has to begin with `./`. */
  readonly needsDot?: boolean;
  /** Whether the author has to write the path that the site is served at. */
  readonly needsBase?: boolean;
  /** What makes an address work that otherwise does not. */
  readonly wrapper?: Wrapper;
}

/**
 * An expression around an address: `require('…').default`, `new URL('…', import.meta.url).href`, or Liquid's
 * `{{ '…' | relative_url }}`.
 */
export type Wrapper = 'require' | 'moduleUrl' | 'relativeUrl';

/** Where the media of a document belong, and how they are referred to. */
export interface Project {
  readonly framework: string;
  /** Where its marker was found. */
  readonly folder: string;
  readonly roots: readonly AssetRoot[];
  /** The folder for new media; undefined where the project has no opinion. */
  readonly assets?: string | undefined;
  /** Where the site is served, such as `/docs/`; `/` for the root of its host. */
  readonly base?: string | undefined;
  /** The address of the page that the document becomes, such as `/posts/fox/`. */
  readonly page?: string | undefined;
  /** The folder that relative addresses start from, where it is not the document's own. */
  readonly start?: string | undefined;
  /** Folders by the words that stand for them, such as `@site/`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Folders that are made by building the project. */
  readonly output?: readonly string[];
  rules(form: ReferenceForm): Rules;
}
