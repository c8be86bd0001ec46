/** A site generator, pinned, with small projects in which pages refer to media. */
export interface Generator {
  readonly name: string;
  /** npm packages in exact versions. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Program that must be installed. */
  readonly program?: { readonly command: string; readonly debian: string };
  /** Whether it is quick enough to run with every change, or the names of those projects that are. */
  readonly quick?: boolean | readonly string[];
  /** Projects by name, such as `base path`. */
  readonly sites: Readonly<Record<string, Site>>;
}

/** One project. Paths are relative to its folder. */
export interface Site {
  /** Folder of the project in the workspace folder, by default the workspace folder itself. */
  readonly folder?: string;
  /** Contents by path, without the pages. */
  readonly files: Readonly<Record<string, string>>;
  /** Contents by path of files outside the project, relative to the workspace folder. */
  readonly around?: Readonly<Record<string, string>>;
  readonly pages: readonly Page[];
  readonly build: readonly (readonly string[])[];
  readonly output: string;
  /** Path that the output is served at, `/` by default. */
  readonly base?: string;
  /** Addresses of pages that scripts make, below the base; they are opened in a browser. */
  readonly rendered?: readonly string[];
  /** Returns whether the output shows a file, where it is no web site. */
  readonly shows?: (name: string, output: string, log: string) => boolean;
}

/**
 * A document of a project. In its text, `%HEAD%` is where imports go, and `%HERE%` where references go. With `§` in its
 * path, each reference has a page of its own.
 */
export interface Page {
  readonly path: string;
  readonly text: string;
  /** Folders with files to insert, besides those that every page is tried with. */
  readonly from?: readonly string[];
  /** Kinds of files that can be inserted; all by default. */
  readonly inserts?: readonly Kind[];
  /** Kinds of files that may lie beside the page; all by default. */
  readonly beside?: readonly Kind[];
  readonly references?: readonly Reference[];
  /** Puts a reference into a text that stands at `%HERE%`. */
  readonly around?: (reference: string, name: string) => string;
}

export type Kind = 'images' | 'speech' | 'videos';

/**
 * A reference, tried with the file at this path, and without it. `§` stands for the name of the file, without its
 * extension, and for an identifier.
 */
export interface Reference {
  readonly text: string;
  readonly file: string;
  /** Import that it needs. */
  readonly head?: string;
}
