import { posix } from 'node:path';
import type { Language } from '../documents/Language.ts';
import type { MediaKind, ReferenceForm } from '../documents/MediaReference.ts';
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
  /** Returns the names in a folder; none if it does not exist. */
  names(path: string): Promise<ReadonlySet<string>>;
}

/** Folder whose files have addresses that begin with a prefix. */
export interface AssetRoot {
  readonly folder: string;
  /** Such as `/`, `assets/` or `res://`. */
  readonly prefix: string;
  /** Whether only the bundler finds its files. References to them are resolved, never written. */
  readonly isOnlyRead?: boolean;
  /** Whether its files are found, but none is written there or missing there, such as in a folder that may be served. */
  readonly isOnlyFound?: boolean;
  /** Whether nothing shows that the site serves it: what is missing there is never paid for. */
  readonly isGuess?: boolean;
  /** Whether the site puts its base path in front of addresses of these files. */
  readonly addsBase?: boolean;
  /** Whether it is a single file, whose whole address is the prefix. */
  readonly isFile?: boolean;
  /** Whether its text documents become pages; otherwise they are served as they are. */
  readonly holdsPages?: boolean;
  /** Whether files below names that begin with an underscore or a dot are left out. */
  readonly skipsHidden?: boolean;
}

/** How references of one form are resolved in the documents of one language. */
export interface Rules {
  /**
   * What a relative address is relative to: the `file` that contains it, the `page` that is built from it, the `root`
   * of the site, or `nothing` if relative addresses do not work.
   */
  readonly relative: 'file' | 'page' | 'root' | 'nothing';
  /** With `relative: 'file'`, the site copies only files in these folders; by default all. */
  readonly within?: readonly string[];
  /** With `relative: 'file'`, the site copies only files whose names end in one of these; by default all. */
  readonly copies?: readonly string[];
  /** Whether an address without a leading dot or slash starts at the top of the site, and needs no base path. */
  readonly isBareFromRoot?: boolean;
  /** Whether the rules hold for front matter, too, which otherwise themes treat as they like. */
  readonly isSure?: boolean;
  /** Whether the bundler finds nothing at an address without a leading dot or slash, or takes it for a package. */
  readonly isBareElsewhere?: boolean;
  /** With `relative: 'file'`, whether the build fails where the bundler is asked for a file and does not find it. */
  readonly failsUnfound?: boolean;
  /** Whether files in a root are referenced with the root's prefix. */
  readonly usesRoots: boolean;
  /** Whether nothing shows where relative addresses lead: what is missing there is never paid for. */
  readonly isGuess?: boolean;
  /** Roots of these references; by default those of the project. */
  readonly roots?: readonly AssetRoot[];
  /** Whether an address in the same folder must begin with `./`. */
  readonly needsDot?: boolean;
  /** Whether the author must write the site's base path. */
  readonly needsBase?: boolean;
  /** Whether the framework puts the base path even in front of addresses that have it. */
  readonly doublesBase?: boolean;
  /** Whether an address is a path, in which a percent sign and a question mark belong to the name. */
  readonly isPath?: boolean;
  /** Whether a file whose name must be encoded in an address, such as one with spaces, is not found. */
  readonly needsPlainName?: boolean;
  /** Expression that an address needs to work. */
  readonly wrapper?: Wrapper;
  /** Query that makes the bundler treat a file of an unknown type as media. */
  readonly fileQuery?: string;
}

/**
 * Expression around an address: `require('…').default`, `require('…')` in React Native's `<Image source>`, or the name of an `import`, for a file outside the roots,
 * `{{ '…' | relative_url }}` of Jekyll and `{{ '…' | url }}` of Eleventy for one in a root, and `{% asset_path … %}` of
 * Hexo for one beside the document.
 */
export type Wrapper = 'require' | 'native' | 'import' | 'relativeUrl' | 'url' | 'assetPath';

/** Where a document's media belong, and how they are referenced. */
export interface Project {
  readonly framework: string;
  /** Folder that contains its marker. */
  readonly folder: string;
  readonly roots: readonly AssetRoot[];
  /** Folder for new media; undefined if the project does not define one. */
  readonly assets?: string;
  /** Folders for new media of some kinds, where they differ from `assets`. */
  readonly assetsByKind?: Readonly<Partial<Record<MediaKind, string | undefined>>>;
  /** Base path of the site, such as `/docs/`; `/` for the root of its host. */
  readonly base?: string;
  /** Address of the page that is built from the document, such as `/posts/fox/`. */
  readonly page?: string;
  /** Folder of the address of the page that a component is, such as `/guide/`; undefined for any other component. */
  readonly route?: string;
  /** Folder that relative addresses start from, if it is not the document's own. */
  readonly start?: string;
  /** Folders for the media of a document that sets none itself, from `start`: those of its main file. */
  readonly folders?: readonly string[];
  /** Folders by their aliases, such as `@site/`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Folders that building the project creates. */
  readonly output?: readonly string[];
  /** Whether the framework resolves the address of `<source>`, but not that of `<audio>`. */
  readonly needsSource?: boolean;
  /** Components whose addresses reach the browser unchanged, as those of elements do. */
  readonly components?: readonly string[];
  /** @param element name of the element around a `tag`; by default one with a picture */
  rules(form: ReferenceForm, element?: string): Rules;
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

  names(name: string): Promise<ReadonlySet<string>> {
    return this.#files.names(this.join(name));
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

  async dependsOnAny(names: readonly string[]): Promise<boolean> {
    for (const name of names) if (await this.dependsOn(name)) return true;
    return false;
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
  /**
   * Returns the project whose marker lies in a folder, if the document is one of its pages or sources.
   *
   * @param root the workspace folder; nothing above it is read
   */
  find(folder: ProjectFolder, document: PlacedDocument, root: string): Promise<Project | undefined>;
}

/** Names of folders for media of a kind. */
export const usualNames: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ['images', 'img', 'assets/images', 'assets/img', 'assets'],
  audio: ['audio', 'sounds', 'assets/audio', 'assets'],
  video: ['videos', 'video', 'assets/videos', 'assets'],
};

export const markdowns: readonly Language[] = ['markdown', 'mdx'];
export const styles: readonly Language[] = ['css', 'scss'];
export const codes: readonly Language[] = ['jsx', 'script', 'vue', 'svelte', 'astro', 'html', ...styles];

/** Elements whose addresses Vue's templates give to the bundler; the browser resolves those of all others. */
const vueElements = new Set(['img', 'image', 'use', 'video', 'source']);

export function isVueElement(element = 'img'): boolean {
  return vueElements.has(element);
}

/** For addresses in these elements: Vue leaves those without a leading dot or slash to the browser. */
export const vueTag: Rules = { relative: 'file', usesRoots: true, needsDot: true, isBareElsewhere: true };

/** Returns the code around the address of a file that webpack is to find. Only scripts have a place for imports. */
export function codeWrapper({ language }: Pick<PlacedDocument, 'language'>): Wrapper {
  return language === 'jsx' ? 'import' : 'require';
}

export function isMarkdown({ language }: PlacedDocument): boolean {
  return markdowns.includes(language);
}

/** Normalises the base path of a site: a slash at both ends. */
export function basePath(written: string | undefined): string {
  if (written === undefined || /^(?:\.|\s*$)/.test(written)) return '/';
  const path = written.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/[?#].*/s, '');
  return `/${path.split('/').filter(Boolean).join('/')}/`.replace(/^\/\/$/, '/');
}

/** Returns the address of the folder of a page that keeps its name: `a/b.md` → `/a/`. */
export function folderOfPage(path: string): string {
  return `/${path.slice(0, path.lastIndexOf('/') + 1)}`;
}

/**
 * Returns the folder of the address of the page that a component is, by its path without what is no part of the address.
 *
 * @param path such as `guide/(group)/deep/`
 */
export function folderOfRoute(path: string, hasFolders = false): string {
  const names = path.split('/').filter((name) => name !== '' && !/^(?:\(.*\)|@.*|index)$/.test(name));
  return folderOfPage(names.join('/') + (hasFolders && names.length > 0 ? '/' : ''));
}

/** Returns the “pretty” address that generators give a page: `a/b.md` → `/a/b/`. */
export function prettyPage(path: string, indexes = /^_?index$/i): string {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(path.replace(/\.\w+$/, '')) ?? [];
  return indexes.test(name) ? `/${folder}` : `/${folder}${name}/`;
}

/** Returns the folders from the document's own up to the root; only its own if it is outside the root. */
export function foldersAbove(path: string, root: string): readonly string[] {
  const folders = [posix.dirname(path)];
  for (let folder = posix.dirname(path); folder !== root; ) {
    const parent = posix.dirname(folder);
    if (parent === folder || !isInside(root, parent)) break;
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

/** Returns whether a path is this folder or lies in it. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
