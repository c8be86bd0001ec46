import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import type { AssetNode } from './AssetTree.ts';

/** Registers the editor's features for `media.jsonc`. The implementation loads on first use. */
export function registerManifest(dependencies: Window): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const load = lazy(async () => {
    const { ManifestFeature } = await import('./ManifestFeature.ts');
    return new ManifestFeature(dependencies, () => changed.fire());
  });
  const files = { pattern: '**/media.jsonc', scheme: 'file' };
  const watch = lazy(async () => (await import('./watchManifests.ts')).watchManifests());
  const { languages } = vscode;
  // After activation, which reads nothing.
  setImmediate(watch);
  return vscode.Disposable.from(
    changed,
    watch,
    register(load, {
      [commandIds.planAssets]: ({ commands }, argument) => commands.plan(argument),
      [commandIds.checkAssets]: ({ commands }, argument) => commands.check(argument),
      [commandIds.applyAssets]: ({ commands }, argument) => commands.apply(argument),
      [commandIds.acceptAssets]: ({ commands }, argument) => commands.accept(argument),
      [commandIds.makeAnew]: ({ commands }, argument) => commands.makeAnew(argument),
      [commandIds.chooseVariant]: ({ commands }, argument) => commands.choose(argument),
      [commandIds.pruneAssets]: ({ commands }, argument) => commands.prune(argument),
      [commandIds.addToManifest]: ({ commands }, argument) => commands.add(argument),
      [commandIds.createManifest]: ({ commands }) => commands.create(),
      [commandIds.addWorkflow]: ({ commands }) => commands.addWorkflow(),
    }),
    languages.registerCodeLensProvider(files, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => (await load()).lenses(document),
    }),
    languages.registerHoverProvider(files, {
      provideHover: async (document, position) => (await load()).hover(document, position),
    }),
    languages.registerCompletionItemProvider(
      files,
      {
        provideCompletionItems: async (document, position, token) => (await load()).complete(document, position, token),
      },
      '"',
      '/',
    ),
    vscode.window.registerTreeDataProvider<AssetNode>(viewIds.assets, {
      onDidChangeTreeData: changed.event,
      getChildren: async (node) => (await load()).tree.getChildren(node),
      getTreeItem: async (node) => (await load()).tree.getTreeItem(node),
    }),
    vscode.tasks.registerTaskProvider('media', {
      provideTasks: async () => (await load()).tasks(),
      resolveTask: async (task) => (await load()).task(task),
    }),
    load,
  );
}
