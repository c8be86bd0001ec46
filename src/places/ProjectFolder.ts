import { posix } from 'node:path';
import { isRecord, readJson } from './configuration/readJson.ts';
import type { PlacedDocument, ProjectFiles } from './Project.ts';

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
