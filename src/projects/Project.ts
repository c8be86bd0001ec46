import { posix } from 'node:path';
import type { Language } from '../documents/Language.ts';
import type { ReferenceForm } from '../documents/MediaReference.ts';
import { isRecord, readJson } from './configuration.ts';

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

const scripts = ['js', 'ts', 'mjs', 'mts', 'cjs', 'cts'];

/** A folder above a document that may contain the marker of a project. */
export class ProjectFolder {
  readonly path: string;
  /** Path from this folder to the document. */
  readonly inside: string;
  readonly #files: ProjectFiles;

  constructor(path: string, document: PlacedDocument, files: ProjectFiles) {
    this.path = path;
    this.inside = posix.relative(path, document.path);
    this.#files = files;
  }

  join(...names: readonly string[]): string {
    return posix.join(this.path, ...names);
  }

  has(name: string): Promise<boolean> {
    return this.#files.exists(this.join(name));
  }

  /** Returns the first of these names that exists. */
  async first(names: readonly string[]): Promise<string | undefined> {
    for (const name of names) if (await this.has(name)) return name;
    return undefined;
  }

  async text(name: string): Promise<string> {
    return (await this.#files.readText(this.join(name))) ?? '';
  }

  /** Returns the source of a configuration in JavaScript or TypeScript; undefined if there is none. */
  async script(name: string): Promise<string | undefined> {
    const file = await this.first(scripts.map((extension) => `${name}.${extension}`));
    return file === undefined ? undefined : this.text(file);
  }

  /** Returns whether package.json depends on a package. */
  async dependsOn(name: string): Promise<boolean> {
    if (!(await this.has('package.json'))) return false;
    const manifest = readJson(await this.text('package.json'));
    return ['dependencies', 'devDependencies'].some((group) => {
      const packages = isRecord(manifest) ? manifest[group] : undefined;
      return isRecord(packages) && Object.hasOwn(packages, name);
    });
  }

  /** Returns whether the document lies in a subfolder of this folder. */
  holds(folder: string): boolean {
    const way = posix.normalize(folder);
    return way === '.' || this.inside.startsWith(way.endsWith('/') ? way : `${way}/`);
  }

  /** Returns the path from a subfolder of this folder to the document. */
  insideOf(folder: string): string {
    return posix.relative(this.join(folder), this.join(this.inside));
  }

  /**
   * Whether a text document is a page of the project. Documents about the project itself, which lie beside its marker,
   * in `docs` or in `.github`, are read on the repository's host instead.
   */
  get isPage(): boolean {
    return this.inside.includes('/') && !/^(?:docs\/|\.)/.test(this.inside);
  }
}

export interface Framework {
  /** Languages of the documents that it handles; documents in others belong to a project further up. */
  readonly languages: readonly Language[];
  /** Returns the project whose marker lies in a folder, if the document is one of its pages or sources. */
  find(folder: ProjectFolder, document: PlacedDocument): Promise<Project | undefined>;
}

export const markdowns: readonly Language[] = ['markdown', 'mdx'];
export const styles: readonly Language[] = ['css', 'scss'];
export const codes: readonly Language[] = ['jsx', 'script', 'vue', 'svelte', 'astro', 'html', ...styles];

export function isMarkdown({ language }: PlacedDocument): boolean {
  return markdowns.includes(language);
}

/** Normalises the base path of a site: a slash at both ends. */
export function basePath(written: string | undefined): string {
  if (written === undefined || /^(?:\.|\s*$)/.test(written)) return '/';
  const path = written.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  return `/${path.split('/').filter(Boolean).join('/')}/`.replace(/^\/\/$/, '/');
}

/** Returns the “pretty” address that generators give a page: `a/b.md` → `/a/b/`. */
export function prettyPage(path: string, indexes = /^_?index$/i): string {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(path.replace(/\.\w+$/, '')) ?? [];
  return indexes.test(name) ? `/${folder}` : `/${folder}${name}/`;
}
