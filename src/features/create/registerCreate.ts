import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import { hasUnfinished } from './unfinished.ts';

/** Registers the Create view and the library's tab. Everything else loads when one of them is first shown. */
export function registerCreate(dependencies: Window): vscode.Disposable {
  const load = lazy(async () => new (await import('./MediaViews.ts')).MediaViews(dependencies));
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.create, {
      resolveWebviewView: async (view) => (await load()).showView(view),
    }),
    register(load, {
      [commandIds.connectService]: (views) => views.connectService(),
      [commandIds.compose]: (views, operation, uris) => views.compose(operation, uris),
      [commandIds.reusePrompt]: (views, video) => views.usePrompt(video),
      [commandIds.compareVariants]: (views, argument) => views.compareVariants(argument),
      [commandIds.openLibrary]: (views, argument) => views.openLibrary(argument),
    }),
    vscode.window.registerWebviewPanelSerializer(libraryTabType, {
      deserializeWebviewPanel: async (panel) => (await load()).showPanel(panel),
    }),
    dependencies.jobs.onDidChange((id) => {
      if (dependencies.jobs.get(id)?.state === 'done' && hasUnfinished(dependencies.memory)) void load();
    }),
    load,
  );
}
