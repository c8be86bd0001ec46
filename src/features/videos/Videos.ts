import * as vscode from 'vscode';
import type { Previews } from '../../editor/Previews.ts';
import { movesLibrary } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { VideoCommands } from './VideoCommands.ts';
import { VideoTree } from './VideoTree.ts';

/** The tree of videos and its commands. Loaded when the view is shown or a command runs. */
export class Videos implements vscode.Disposable {
  readonly tree: VideoTree;
  readonly commands: VideoCommands;
  readonly #places: WorkspacePlaces;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(places: WorkspacePlaces, previews: Previews, log: vscode.LogOutputChannel) {
    this.#places = places;
    this.tree = new VideoTree(previews, (error) => log.warn(`A library cannot be read: ${reasonOf(error)}`));
    this.commands = new VideoCommands(places);
    this.#subscriptions = [
      this.tree,
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#readLibraries()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (movesLibrary(event)) this.#readLibraries();
      }),
    ];
    this.#readLibraries();
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  #readLibraries(): void {
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.tree.setLibraries(folders.map(({ uri }) => ({ root: uri, library: this.#places.libraryOf(uri) })));
  }
}
