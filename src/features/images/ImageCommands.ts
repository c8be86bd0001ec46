import { posix } from 'node:path';
import * as vscode from 'vscode';
import { openUris } from '../../editor/openAssets.ts';
import { errorForCaller, logError, showError } from '../../editor/showError.ts';
import { transformImage } from '../../images/transformImage.ts';
import type { Asset } from '../../library/Asset.ts';
import { isEditableImage } from '../../operations/fileExtensions.ts';
import type { ImageDependencies } from './ImageDependencies.ts';
import { ImageTab, mediaErrorOf } from './ImageTab.ts';
import { isItem, readChange } from './readChange.ts';
import { readSource, saveBeside } from './saveBeside.ts';

/** The command of local edits; loaded on first use. */
export class ImageCommands implements vscode.Disposable {
  readonly #dependencies: ImageDependencies;
  readonly #tabs = new Set<ImageTab>();

  constructor(dependencies: ImageDependencies) {
    this.#dependencies = dependencies;
  }

  dispose(): void {
    for (const tab of this.#tabs) tab.dispose();
  }

  /**
   * Edits an image as the argument says. Without a file, edits the image in the active tab, or asks for one. Without an
   * edit, opens a tab in which the person makes one.
   *
   * @param argument `{file, width, height, format, quality}`, a Uri from the Explorer, or an item of a view
   * @returns the saved assets; undefined when nothing was saved
   * @throws MediaError, whose message ends with its kind, when a program gave the argument
   */
  async transform(argument: unknown): Promise<readonly Asset[] | undefined> {
    const { log, places } = this.#dependencies;
    try {
      const { file, change } = await readChange(argument, places);
      const uri = file ?? (await choosePicture());
      if (!uri) return undefined;
      if (change) return [await this.#apply(uri, change)];
      return await this.#edit(uri);
    } catch (error) {
      const failure = mediaErrorOf(error);
      logError(failure, log);
      if (!isFromMenu(argument)) throw errorForCaller(failure);
      void showError(failure);
      return undefined;
    }
  }

  async #apply(uri: vscode.Uri, change: Parameters<typeof transformImage>[1]): Promise<Asset> {
    const { places, settings, log } = this.#dependencies;
    const name = posix.basename(uri.path);
    const source = await readSource(uri);
    const file = await transformImage(source.bytes, change).catch((error: unknown) => {
      throw mediaErrorOf(error, name);
    });
    const asset = await saveBeside(source, posix.parse(name).name, file, places);
    if (settings.openAfterSave) {
      await openUris([asset.uri]).catch((error: unknown) =>
        log.warn(`The image could not be opened: ${String(error)}`),
      );
    }
    return asset;
  }

  /** Resolves when the person closes the tab. */
  async #edit(uri: vscode.Uri): Promise<readonly Asset[] | undefined> {
    const tab = new ImageTab(await readSource(uri), this.#dependencies);
    this.#tabs.add(tab);
    const saved = await tab.closed;
    this.#tabs.delete(tab);
    return saved.length > 0 ? saved : undefined;
  }
}

/** Whether a person ran the command: the palette passes nothing, the Explorer a Uri, a view its item. */
function isFromMenu(argument: unknown): boolean {
  return argument === undefined || argument instanceof vscode.Uri || isItem(argument);
}

/** Returns the image of the active tab, or else asks for one. */
async function choosePicture(): Promise<vscode.Uri | undefined> {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputCustom && isEditableImage(input.uri.path)) return input.uri;
  const found = await vscode.workspace.findFiles('**/*.{png,jpg,jpeg,webp,PNG,JPG,JPEG,WEBP}', undefined, 1000);
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Resize, Crop or Convert Image'),
    placeHolder: vscode.l10n.t('Choose an image'),
  });
  return chosen?.uri;
}
