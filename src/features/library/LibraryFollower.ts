import * as vscode from 'vscode';
import { Refresh } from '../../editor/Refresh.ts';
import { movesLibrary } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { FileMoves } from './FileMoves.ts';

/** Names that an asset or a folder of assets can have. A checkout that changes a thousand source files matches none. */
const assetName =
  /(?:^|\/)(?:[^/.]+|[^/]*\.(?:avif|bmp|gif|heic|jpe?g|jxl|png|svg|tiff?|webp|aac|aiff?|flac|m4a|mp3|mpga|og[agv]|opus|pcm|wav|weba|avi|m4v|mkv|mov|mp4|mpe?g|webm|md|srt|txt|vtt))$/i;
const neverAssets = /\/(?:\.git|node_modules)(?:\/|$)/;

/** Watches files and libraries in the workspace folders for changes from outside. */
export class LibraryFollower implements vscode.Disposable {
  readonly #places: WorkspacePlaces;
  readonly #moves: FileMoves;
  readonly #subscriptions: readonly vscode.Disposable[];
  #libraryWatchers: readonly vscode.Disposable[] = [];
  readonly #follow: Refresh;

  constructor(places: WorkspacePlaces, log: vscode.LogOutputChannel) {
    this.#places = places;
    this.#moves = new FileMoves(places);
    this.#follow = new Refresh(() =>
      this.#moves
        .follow()
        .catch((error: unknown) => log.warn(`A moved file could not be recorded in the library: ${String(error)}`)),
    );
    // Only creation and deletion matter, not changes of content.
    const files = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    this.#subscriptions = [
      files,
      files.onDidCreate((uri) => this.#report(uri, () => this.#moves.created(uri))),
      files.onDidDelete((uri) => this.#report(uri, () => this.#moves.deleted(uri))),
      vscode.workspace.onDidRenameFiles(({ files: renamed }) => {
        this.#moves.renamed(renamed);
        void this.#follow.ask();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#watchLibraries()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) this.#watchLibraries();
      }),
    ];
    this.#watchLibraries();
  }

  dispose(): void {
    for (const one of [...this.#subscriptions, ...this.#libraryWatchers]) one.dispose();
  }

  #report(uri: vscode.Uri, report: () => void): void {
    if (!assetName.test(uri.path) || neverAssets.test(uri.path)) return;
    report();
    void this.#follow.ask();
  }

  /** Another window, a merge or a person may write to them. */
  #watchLibraries(): void {
    for (const one of this.#libraryWatchers) one.dispose();
    this.#libraryWatchers = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
      const library = this.#places.libraryOf(uri);
      const file = vscode.Uri.parse(library.uri, true);
      const name = file.path.slice(file.path.lastIndexOf('/') + 1);
      const watcher = vscode.workspace.createFileSystemWatcher(
        new vscode.RelativePattern(vscode.Uri.joinPath(file, '..'), name),
      );
      const changed = () => library.changed();
      return [watcher, watcher.onDidChange(changed), watcher.onDidCreate(changed), watcher.onDidDelete(changed)];
    });
  }
}
