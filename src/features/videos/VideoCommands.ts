import * as vscode from 'vscode';
import { deleteFile } from '../../editor/deleteFile.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Library } from '../../library/Library.ts';
import { VideoItem } from './VideoItem.ts';

/** The commands on videos of the tree, in addition to those on any file. */
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

  /** Removes a video from the list. Its file stays. */
  async forget(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem)) return;
    await this.#libraryOf(item).append({ forgotten: item.entry.id });
  }

  /** Deletes a video's file. The video stays in the list and can be remixed by its id. */
  async deleteFile(item: unknown): Promise<void> {
    if (!(item instanceof VideoItem) || !item.file) return;
    const detail = vscode.l10n.t('The video stays in the list and can still be remixed.');
    if (await deleteFile(item.file, detail)) this.#libraryOf(item).changed();
  }

  #libraryOf({ root }: VideoItem): Library {
    return this.#places.libraryOf(vscode.Uri.parse(root, true));
  }
}

async function copy(text: string | undefined): Promise<void> {
  if (text !== undefined) await vscode.env.clipboard.writeText(text);
}
