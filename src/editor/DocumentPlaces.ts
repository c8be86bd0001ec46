import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../documents/Language.ts';
import { mediaKindOf } from '../documents/MediaReference.ts';
import { Places } from '../places/Places.ts';
import type { PlacedDocument, ProjectFiles } from '../places/Project.ts';
import type { Settings } from './Settings.ts';

/** A document and the places of the workspace folder that holds it. */
export interface DocumentPlace {
  readonly places: Places;
  readonly document: PlacedDocument;
}

interface FolderPlaces {
  readonly files: WatchedFiles;
  places: Places;
  style: string;
}

/** Knows where the media of open documents belong. Folders are read when they are asked for, and again when they change. */
export class DocumentPlaces implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'references'>;
  readonly #folders = new Map<string, FolderPlaces>();

  constructor(settings: Pick<Settings, 'references'>) {
    this.#settings = settings;
  }

  dispose(): void {
    for (const { files } of this.#folders.values()) files.dispose();
    this.#folders.clear();
  }

  /** @param near decides for a document that is in no folder yet: it counts as one at the top of the folder of this file */
  placeOf({ uri, languageId }: Pick<vscode.TextDocument, 'uri' | 'languageId'>, near: vscode.Uri = uri): DocumentPlace {
    const isUntitled = uri.scheme !== near.scheme;
    const root = vscode.workspace.getWorkspaceFolder(isUntitled ? near : uri)?.uri ?? vscode.Uri.joinPath(near, '..');
    const path = isUntitled ? posix.join(root.path, posix.basename(uri.path)) : uri.path;
    return { places: this.#placesIn(root), document: { path, language: languageOf(languageId, path) } };
  }

  #placesIn(root: vscode.Uri): Places {
    const references = this.#settings.references(root);
    const style = JSON.stringify(references);
    const known = this.#folders.get(root.toString());
    if (known?.style === style) return known.places;
    const files =
      known?.files ?? new WatchedFiles(root, () => this.#folders.get(root.toString())?.places.forgetProjects());
    const places = new Places(root.path, files, references);
    this.#folders.set(root.toString(), { files, places, style });
    return places;
  }
}

/** The files of a workspace folder: names are read by folder, so that one look tells of many and tells them exactly. */
class WatchedFiles implements ProjectFiles, vscode.Disposable {
  readonly #root: vscode.Uri;
  readonly #names = new Map<string, Promise<ReadonlySet<string>>>();
  readonly #texts = new Map<string, Promise<string | undefined>>();
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param onDidChangeProject called when a file has changed, come or gone that is no medium */
  constructor(root: vscode.Uri, onDidChangeProject: () => void) {
    this.#root = root;
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(root, '**/*'));
    const changed = ({ path }: vscode.Uri) => {
      this.#texts.delete(path);
      if (mediaKindOf(path) === undefined) onDidChangeProject();
    };
    const cameOrWent = (uri: vscode.Uri) => {
      this.#names.delete(posix.dirname(uri.path));
      // A folder comes and goes with all that it holds.
      for (const folder of this.#names.keys()) if (`${folder}/`.startsWith(`${uri.path}/`)) this.#names.delete(folder);
      for (const file of this.#texts.keys()) if (file.startsWith(`${uri.path}/`)) this.#texts.delete(file);
      changed(uri);
    };
    this.#subscriptions = [
      watcher,
      watcher.onDidChange(changed),
      watcher.onDidCreate(cameOrWent),
      watcher.onDidDelete(cameOrWent),
    ];
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  async exists(path: string): Promise<boolean> {
    if (path === this.#root.path) return true;
    return (await this.#namesIn(posix.dirname(path))).has(posix.basename(path));
  }

  async readText(path: string): Promise<string | undefined> {
    if (!(await this.exists(path))) return undefined;
    const known = this.#texts.get(path) ?? this.#read(path);
    this.#texts.set(path, known);
    return known;
  }

  #namesIn(folder: string): Promise<ReadonlySet<string>> {
    const known = this.#names.get(folder) ?? this.#list(folder);
    this.#names.set(folder, known);
    return known;
  }

  async #list(folder: string): Promise<ReadonlySet<string>> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#root.with({ path: folder }));
      return new Set(entries.map(([name]) => name));
    } catch {
      return new Set();
    }
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#root.with({ path })));
    } catch {
      return undefined;
    }
  }
}
