import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { PlaceReference } from '../jobs/JobRecord.ts';
import type { Place } from '../jobs/saveResults.ts';
import type { Folder } from '../library/Folder.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Settings } from './Settings.ts';
import { VirtualFolder } from './VirtualFolder.ts';

/** Finds where assets are saved. */
export class WorkspacePlaces {
  readonly #settings: Settings;
  /** One per virtual folder, because appending there has to be queued. */
  readonly #virtualFolders = new Map<string, VirtualFolder>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Where assets of a kind go: into the workspace folder of the active file, else into the first one.
   *
   * @throws MediaError `save` when no folder is open or the setting leads out of it
   */
  referenceFor(kind: AssetKind): PlaceReference {
    const workspaceFolder = activeWorkspaceFolder();
    if (!workspaceFolder) {
      throw new MediaError('save', 'Nothing was sent: open a folder first, results are saved in it.');
    }
    const { uri } = workspaceFolder;
    return {
      root: uri.toString(),
      path: relativeFolder(this.#settings.outputFolder(uri), kind),
      fileName: this.#settings.fileName(uri),
      transcriptFormat: this.#settings.transcriptFormat(uri),
    };
  }

  placeAt({ root, path }: PlaceReference): Place {
    const uri = vscode.Uri.parse(root, true);
    return {
      folder: this.#folderAt(uri, path),
      library: this.#folderAt(uri, '.unified-media'),
      recordedName: (name) => posix.join(path, name),
    };
  }

  #folderAt(root: vscode.Uri, path: string): Folder {
    const location = vscode.Uri.joinPath(root, path);
    if (root.scheme === 'file') return new LocalFolder(location.fsPath, root.fsPath);
    const known = this.#virtualFolders.get(location.toString()) ?? new VirtualFolder(location);
    this.#virtualFolders.set(location.toString(), known);
    return known;
  }
}

function activeWorkspaceFolder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri ?? activeTabUri();
  const owner = active && vscode.workspace.getWorkspaceFolder(active);
  return owner ?? vscode.workspace.workspaceFolders?.[0];
}

/** An image or video preview is no text editor. */
function activeTabUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook ? input.uri : undefined;
}

function relativeFolder(pattern: string, kind: AssetKind): string {
  const path = posix.normalize(pattern.replaceAll('\\', '/').replaceAll('${kind}', kind)).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../') || posix.isAbsolute(path) || /^[a-z]:/i.test(path)) {
    const sentence = `Nothing was sent: the setting "unifiedMedia.outputFolder" ("${pattern}") leads out of the folder.`;
    throw new MediaError('save', sentence);
  }
  return path;
}
