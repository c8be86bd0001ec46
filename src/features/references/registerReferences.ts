import * as vscode from 'vscode';
import { commandIds, mimeTypes } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { dropSelector, editKinds } from '../../editor/editKinds.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the commands on generated files. They take `{uri}`, or an item of a view. */
export function registerReferences({
  references,
  places,
  jobs,
  lastEditors,
}: Pick<Window, 'references' | 'places' | 'jobs' | 'lastEditors'>): vscode.Disposable {
  const libraries = { places, jobs };
  return vscode.Disposable.from(
    register(() => import('./assetCommands.ts'), {
      [commandIds.insertAsset]: async ({ insertAsset }, argument) =>
        insertAsset(await references(), lastEditors, libraries, argument),
      [commandIds.openAsset]: ({ openAsset }, argument) => openAsset(argument, libraries),
      [commandIds.playVideo]: ({ openAsset }, argument) => openAsset(argument, libraries),
      [commandIds.revealAsset]: ({ revealAsset }, argument) => revealAsset(argument, libraries),
    }),
    registerDrops(references),
  );
}

/** Inserts assets that are dragged out of a view. Files from the Explorer are left to VS Code. */
function registerDrops(references: Window['references']): vscode.Disposable {
  const provider: vscode.DocumentDropEditProvider = {
    provideDocumentDropEdits: async (document, position, data) => {
      const [assets, { dropIn }] = [data.get(mimeTypes.assets), await import('./assetCommands.ts')];
      return dropIn(references, document, position, await assets?.asString());
    },
  };
  return vscode.languages.registerDocumentDropEditProvider(dropSelector, provider, {
    dropMimeTypes: [mimeTypes.assets],
    providedDropEditKinds: [editKinds.reference],
  });
}
