import * as vscode from 'vscode';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Library } from '../../library/Library.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { VideoItem } from './VideoItem.ts';

/** What can be done with a video of the tree, besides what can be done with any file. */
export class VideoCommands {
  readonly #places: Pick<WorkspacePlaces, 'libraryOf'>;

  constructor(places: Pick<WorkspacePlaces, 'libraryOf'>) {
    this.#places = places;
  }

  async copyId(item: unknown): Promise<void> {
    if (item instanceof VideoItem) await copy(item.entry.videoId);
  }

  async copyPrompt(item: unknown): Promise<void> {
    if (item instanceof VideoItem) await copy(item.entry.prompt);
  }

  /** Its file, if there is one, stays. */
  async forget(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem)) return;
    await this.#libraryOf(item).append({ forgotten: item.entry.id });
  }

  /** The video stays in the list, where its id can be remixed. */
  async deleteFile(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem) || !item.file) return;
    const name = vscode.workspace.asRelativePath(item.file);
    const remove = vscode.l10n.t('Move to Trash');
    const detail = vscode.l10n.t('The video stays in the list and can still be remixed.');
    const question = vscode.l10n.t('Delete {0}?', name);
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
    try {
      await vscode.workspace.fs.delete(item.file, { useTrash: true });
    } catch (error) {
      await deleteForGood(item.file, name, error);
    }
    this.#libraryOf(item).changed();
  }

  #libraryOf({ root }: VideoItem): Library {
    return this.#places.libraryOf(vscode.Uri.parse(root, true));
  }
}

async function copy(text: string | undefined): Promise<void> {
  if (text !== undefined) await vscode.env.clipboard.writeText(text);
}

/** Not every machine and not every workspace has a trash. */
async function deleteForGood(uri: vscode.Uri, name: string, cause: unknown): Promise<void> {
  const remove = vscode.l10n.t('Delete Permanently');
  const question = vscode.l10n.t('{0} cannot be moved to the trash. Delete it permanently?', name);
  const detail = reasonOf(cause);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
  try {
    await vscode.workspace.fs.delete(uri);
  } catch (error) {
    void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be deleted: {1}', name, reasonOf(error)));
  }
}
