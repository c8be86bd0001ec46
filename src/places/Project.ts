import type { Language } from '../documents/Language.ts';
import type { ReferenceForm } from '../documents/MediaReference.ts';

/**
 * A document as its project sees it. Paths are absolute with forward slashes; a Windows drive is `/c:/`, as in a URI.
 */
export interface PlacedDocument {
  readonly path: string;
  readonly language: Language;
}

/** File system access that finding a project needs. */
export interface ProjectFiles {
  /** Returns whether a file or folder exists. */
  exists(path: string): Promise<boolean>;
  /** Returns the text of a file; undefined if it does not exist. */
  readText(path: string): Promise<string | undefined>;
}

/** Folder whose files have addresses that begin with a prefix. */
export interface AssetRoot {
  readonly folder: string;
  /** Such as `/`, `assets/` or `res://`. */
  readonly prefix: string;
  /** Whether references to its files are only resolved, never written. */
  readonly isOnlyRead?: boolean;
}

/** How references of one form are resolved in the documents of one language. */
export interface Rules {
  /**
   * What a relative address is relative to: the `file` that contains it, the `page` that is built from it, the `root`
   * of the site, or `nothing` if relative addresses do not work.
   */
  readonly relative: 'file' | 'page' | 'root' | 'nothing';
  /** Whether files in a root are referenced with the root's prefix. */
  readonly usesRoots: boolean;
  /** Whether an address in the same folder must begin with `./`. */
  readonly needsDot?: boolean;
  /** Whether the author must write the site's base path. */
  readonly needsBase?: boolean;
  /** Expression that an address needs to work. */
  readonly wrapper?: Wrapper;
}

/**
 * Expression around an address: `require('…').default`, `new URL('…', import.meta.url).href`, or Liquid's
 * `{{ '…' | relative_url }}`.
 */
export type Wrapper = 'require' | 'moduleUrl' | 'relativeUrl';

/** Where a document's media belong, and how they are referenced. */
export interface Project {
  readonly framework: string;
  /** Folder that contains its marker. */
  readonly folder: string;
  readonly roots: readonly AssetRoot[];
  /** Folder for new media; undefined if the project does not define one. */
  readonly assets?: string | undefined;
  /** Base path of the site, such as `/docs/`; `/` for the root of its host. */
  readonly base?: string | undefined;
  /** Address of the page that is built from the document, such as `/posts/fox/`. */
  readonly page?: string | undefined;
  /** Folder that relative addresses start from, if it is not the document's own. */
  readonly start?: string | undefined;
  /** Folders by their aliases, such as `@site/`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Folders that building the project creates. */
  readonly output?: readonly string[];
  rules(form: ReferenceForm): Rules;
}
