import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Language, languageOf } from '../documents/Language.ts';
import { type MediaReference, mediaKindOf } from '../documents/MediaReference.ts';
import { MovedFiles, type Moves } from '../projects/Moves.ts';
import { Places } from '../projects/Places.ts';
import type { PlacedDocument, ProjectFiles } from '../projects/Project.ts';
import { DocumentReader, maxUnaskedLength } from '../reading/DocumentReader.ts';
import type { Settings } from './Settings.ts';
import { entriesIn, statOf } from './workspaceFiles.ts';

/** How long a folder's listing stays valid without a change event, in milliseconds. Not all folders are watched. */
const maxListingAge = 5000;

/** Knows where the media of open documents belong. Reads folders on demand, and again after they change. */
export class DocumentPlaces implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'references'>;
  readonly #reader: DocumentReader;
  readonly #references = new WeakMap<
    vscode.TextDocument,
    { readonly version: number; readonly language: Language; readonly all: Promise<readonly MediaReference[]> }
  >();
  readonly #folders = new Map<string, { readonly files: FolderFiles; places: Places; style: string }>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when a file or a folder is created or deleted in one of the workspace folders that were read. */
  readonly onDidChangeFiles = this.#changed.event;
  readonly #removing = vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
    for (const { uri } of removed) {
      this.#folders.get(uri.toString())?.files.dispose();
      this.#folders.delete(uri.toString());
    }
  });

  constructor(settings: Pick<Settings, 'references'>, reader = new DocumentReader()) {
    this.#settings = settings;
    this.#reader = reader;
  }

  dispose(): void {
    this.#removing.dispose();
    for (const { files } of this.#folders.values()) files.dispose();
    this.#folders.clear();
    this.#changed.dispose();
  }

  /** @param near a file; an untitled document is treated as a file at the top of its workspace folder */
  placeOf(
    { uri: written, languageId }: Pick<vscode.TextDocument, 'uri' | 'languageId'>,
    near: vscode.Uri = fileOf(written),
  ): { readonly places: Places; readonly document: PlacedDocument } {
    const uri = fileOf(written);
    const isUntitled = uri.scheme !== near.scheme;
    const folder = vscode.workspace.getWorkspaceFolder(isUntitled ? near : uri)?.uri;
    const root = folder ?? vscode.Uri.joinPath(near, '..');
    const path = isUntitled ? posix.join(root.path, posix.basename(uri.path)) : uri.path;
    // The folder around another file may be a whole disk, so it is neither watched nor remembered.
    const places = folder
      ? this.#placesIn(folder)
      : new Places(root.path, new FolderFiles(root), this.#settings.references(root));
    return { places, document: { path, language: languageOf(languageId, path) } };
  }

  /** Returns the places in a workspace folder as they are after moves that have not happened yet. */
  placesAfter(root: vscode.Uri, moves: Moves): Places {
    this.#placesIn(root);
    const files = this.#folders.get(root.toString())?.files ?? new FolderFiles(root);
    return new Places(root.path, new MovedFiles(files, moves), this.#settings.references(root));
  }

  /** Returns all references of a document to media, none of a very long one; cached until the document changes. */
  async referencesIn(document: vscode.TextDocument): Promise<readonly MediaReference[]> {
    const { version } = document;
    const language = languageOf(document.languageId, document.uri.path);
    if (language === 'other') return [];
    const known = this.#references.get(document);
    if (known?.version === version && known.language === language) return known.all;
    const text = document.getText();
    const all = text.length > maxUnaskedLength ? Promise.resolve([]) : this.#reader.findReferences(text, language);
    this.#references.set(document, { version, language, all });
    return all;
  }

  /** As {@link referencesIn}, of a file that may not be open. */
  async referencesAt(uri: vscode.Uri): Promise<readonly MediaReference[]> {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    if (open) return this.referencesIn(open);
    const language = languageOf('', uri.path);
    const { size = Number.POSITIVE_INFINITY } = (await statOf(uri)) ?? {};
    if (language === 'other' || size > maxUnaskedLength) return [];
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return this.#reader.findReferences(text, language);
  }

  /** Reads the folder of a new file again, because VS Code reports new files late or not at all. */
  fileCreated(uri: vscode.Uri): void {
    const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (root) this.#folders.get(root.toString())?.files.createdOrDeleted(uri);
  }

  #placesIn(root: vscode.Uri): Places {
    const references = this.#settings.references(root);
    const style = JSON.stringify(references);
    const known = this.#folders.get(root.toString());
    if (known?.style === style) return known.places;
    const files =
      known?.files ??
      new FolderFiles(root, {
        projectChanged: () => this.#folders.get(root.toString())?.places.forgetProjects(),
        filesChanged: () => this.#changed.fire(),
      });
    const places = new Places(root.path, files, references);
    this.#folders.set(root.toString(), { files, places, style });
    return places;
  }
}

/** Returns the notebook of a cell. Any other document is a file itself. */
function fileOf(uri: vscode.Uri): vscode.Uri {
  if (uri.scheme !== 'vscode-notebook-cell') return uri;
  const isCell = ({ document }: vscode.NotebookCell) => document.uri.toString() === uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.getCells().some(isCell))?.uri ?? uri;
}

interface FilesListener {
  /** Called when a file other than media is created, changed or deleted. */
  projectChanged(): void;
  /** Called when a file or a folder is created or deleted. */
  filesChanged(): void;
}

/**
 * The files of a folder, which is watched if there is a listener. Whole folders are listed, so that one read answers
 * for many files, with exact case.
 */
class FolderFiles implements ProjectFiles, vscode.Disposable {
  readonly #root: vscode.Uri;
  readonly #names = new Map<string, { readonly at: number; readonly names: Promise<ReadonlySet<string>> }>();
  readonly #texts = new Map<string, Promise<string | undefined>>();
  readonly #listener: FilesListener | undefined;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(root: vscode.Uri, listener?: FilesListener) {
    this.#root = root;
    this.#listener = listener;
    if (!listener) {
      this.#subscriptions = [];
      return;
    }
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(root, '**/*'));
    const createdOrDeleted = (uri: vscode.Uri) => {
      if (this.#mayMatter(uri)) this.createdOrDeleted(uri);
    };
    this.#subscriptions = [
      watcher,
      watcher.onDidChange((uri) => {
        if (this.#mayMatter(uri)) this.#noteChange(uri);
      }),
      watcher.onDidCreate(createdOrDeleted),
      watcher.onDidDelete(createdOrDeleted),
    ];
  }

  /** Installing packages creates thousands of files, and each commit some of git, none of which was ever looked for. */
  #mayMatter({ path }: vscode.Uri): boolean {
    if (!/\/(?:\.git|node_modules)\//.test(path) || this.#names.has(posix.dirname(path))) return true;
    return [...this.#names.keys()].some((folder) => `${folder}/`.startsWith(`${path}/`));
  }

  createdOrDeleted(uri: vscode.Uri): void {
    // The parent folders may be new too.
    for (let folder = posix.dirname(uri.path); folder.length > 1; folder = posix.dirname(folder)) {
      this.#names.delete(folder);
    }
    // Creating or deleting a folder affects everything in it.
    for (const folder of this.#names.keys()) if (`${folder}/`.startsWith(`${uri.path}/`)) this.#names.delete(folder);
    for (const file of this.#texts.keys()) if (file.startsWith(`${uri.path}/`)) this.#texts.delete(file);
    this.#noteChange(uri);
    this.#listener?.filesChanged();
  }

  #noteChange({ path }: vscode.Uri): void {
    // VS Code reports a file that was deleted and soon created again as changed, although it was not listed meanwhile.
    this.#names.delete(posix.dirname(path));
    this.#texts.delete(path);
    if (mediaKindOf(path) === undefined) this.#listener?.projectChanged();
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  async exists(path: string): Promise<boolean> {
    if (path === this.#root.path) return true;
    return (await this.names(posix.dirname(path))).has(posix.basename(path));
  }

  async readText(path: string): Promise<string | undefined> {
    if (!(await this.exists(path))) return undefined;
    const known = this.#texts.get(path) ?? this.#read(path);
    this.#texts.set(path, known);
    return known;
  }

  names(folder: string): Promise<ReadonlySet<string>> {
    const known = this.#names.get(folder);
    if (known && performance.now() - known.at < maxListingAge) return known.names;
    const names = this.#list(folder);
    this.#names.set(folder, { at: performance.now(), names });
    return names;
  }

  async #list(folder: string): Promise<ReadonlySet<string>> {
    return new Set((await entriesIn(this.#root.with({ path: folder }))).map(([name]) => name));
  }

  async #read(path: string): Promise<string | undefined> {
    const uri = this.#root.with({ path });
    try {
      // A document beside another may be of any length.
      const { size = Number.POSITIVE_INFINITY } = (await statOf(uri)) ?? {};
      if (size > maxUnaskedLength) return undefined;
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch {
      return undefined;
    }
  }
}
