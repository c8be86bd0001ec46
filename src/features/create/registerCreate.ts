import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import type { CreateDependencies } from './CreateDependencies.ts';
import type { MediaViews } from './MediaViews.ts';

/** The Create view and the library's tab; all of it but this loads when one of them is first shown. */
export function registerCreate(dependencies: CreateDependencies): vscode.Disposable {
  let loading: Promise<MediaViews> | undefined;
  const load = () => {
    loading ??= import('./MediaViews.ts').then(({ MediaViews }) => new MediaViews(dependencies));
    return loading;
  };
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.create, {
      resolveWebviewView: async (view) => (await load()).showView(view),
    }),
    vscode.commands.registerCommand(commandIds.openLibrary, async (argument?: unknown) =>
      (await load()).openLibrary(argument),
    ),
    vscode.window.registerWebviewPanelSerializer(libraryTabType, {
      deserializeWebviewPanel: async (panel) => (await load()).showPanel(panel),
    }),
    { dispose: () => void loading?.then((views) => views.dispose()).catch(() => undefined) },
  );
}
