import * as vscode from 'vscode';
import { commandIds, mimeTypes } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import { dropSelector, editKinds } from '../../editor/ReferenceWriter.ts';
import type { Window } from '../../editor/Window.ts';
import type { AssetReferences } from './AssetReferences.ts';

export interface ReferenceFeature extends vscode.Disposable {
  /** Loads the writer of references. */
  references(): Promise<AssetReferences>;
}

/** Registers the commands on generated files. They take `{uri}`, or an item of a view. */
export function registerReferences({
  projects,
  places,
  jobs,
  lastEditors,
}: Pick<Window, 'projects' | 'places' | 'jobs' | 'lastEditors'>): ReferenceFeature {
  const libraries = { places, jobs };
  const references = lazy(async () => {
    const [{ AssetReferences }, places] = await Promise.all([import('./AssetReferences.ts'), projects()]);
    return new AssetReferences(places);
  });
  const registered = vscode.Disposable.from(
    register(() => import('./AssetReferences.ts'), {
      [commandIds.insertAsset]: async ({ insertAsset }, argument) =>
        insertAsset(await references(), lastEditors, libraries, argument),
      [commandIds.openAsset]: ({ openAsset }, argument) => openAsset(argument, libraries),
      [commandIds.playVideo]: ({ openAsset }, argument) => openAsset(argument, libraries),
      [commandIds.revealAsset]: ({ revealAsset }, argument) => revealAsset(argument, libraries),
    }),
    registerDrops(references),
  );
  return { references, dispose: () => registered.dispose() };
}

/** Inserts assets that are dragged out of a view. Files from the Explorer are left to VS Code. */
function registerDrops(references: () => Promise<AssetReferences>): vscode.Disposable {
  const provider: vscode.DocumentDropEditProvider = {
    provideDocumentDropEdits: async (document, position, data) => {
      const [assets, { dropIn }] = [data.get(mimeTypes.assets), await import('./AssetReferences.ts')];
      return dropIn(references, document, position, await assets?.asString());
    },
  };
  return vscode.languages.registerDocumentDropEditProvider(dropSelector, provider, {
    dropMimeTypes: [mimeTypes.assets],
    providedDropEditKinds: [editKinds.reference],
  });
}
