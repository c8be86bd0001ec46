import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { languageOf } from '../../../src/documents/Language.ts';
import type { MediaKind, ReferenceForm } from '../../../src/documents/MediaReference.ts';
import { Places, type ReferenceStyle, type WrittenReference } from '../../../src/projects/Places.ts';
import type { ProjectFiles } from '../../../src/projects/Project.ts';

/** A project on disk; paths are relative to it. */
export class RealProject {
  readonly folder: string;
  readonly files: ProjectFiles;
  readonly places: Places;
  readonly #native: string;

  /** @param files contents by path */
  constructor(files: Readonly<Record<string, string>>, style?: ReferenceStyle) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'places-')));
    this.#native = folder;
    for (const [path, text] of Object.entries(files)) this.create(path, text);
    const { pathname } = pathToFileURL(folder);
    this.folder = decodeURIComponent(pathname).replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase());
    const native = (path: string) => fileURLToPath(`file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`);
    const names = (path: string) =>
      new Set(statSync(native(path), { throwIfNoEntry: false })?.isDirectory() ? readdirSync(native(path)) : []);
    this.files = {
      // As in the editor: Windows and macOS ignore case.
      exists: async (path) => names(posix.dirname(path)).has(posix.basename(path)),
      names: async (path) => names(path),
      readText: async (path) => (existsSync(native(path)) ? readFileSync(native(path), 'utf8') : undefined),
    };
    this.places = new Places(this.folder, this.files, style);
  }

  async resolve(
    document: string,
    address: string,
    form: ReferenceForm,
    folders: readonly string[] = [],
    element?: string,
  ) {
    const target = await this.places.resolve(this.#document(document), { address, form, folders, element });
    return target && { ...target, path: posix.relative(this.folder, target.path) };
  }

  write(
    document: string,
    file: string,
    form: ReferenceForm,
    folders: readonly string[] = [],
    element?: string,
  ): Promise<WrittenReference> {
    return this.places.write(this.#document(document), posix.join(this.folder, file), { form, folders, element });
  }

  async folderFor(document: string, kind: MediaKind = 'image'): Promise<string | undefined> {
    const folder = await this.places.folderFor(this.#document(document), kind);
    return folder && posix.relative(this.folder, folder);
  }

  /** Returns how people of the document's project know a file. */
  nameIn(document: string, file: string): Promise<string> {
    return this.places.nameIn(this.#document(document), posix.join(this.folder, file));
  }

  create(path: string, text = ''): void {
    mkdirSync(dirname(join(this.#native, path)), { recursive: true });
    writeFileSync(join(this.#native, path), text);
  }

  remove(): void {
    rmSync(this.#native, { recursive: true });
  }

  #document(path: string) {
    return { path: posix.join(this.folder, path), language: languageOf('', path) };
  }
}
