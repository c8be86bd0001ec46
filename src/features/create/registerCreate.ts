import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { CreateDependencies } from './CreateSession.ts';
import { hasUnfinished } from './unfinished.ts';

/** Registers the Create view and the library's tab. Everything else loads when one of them is first shown. */
export function registerCreate(dependencies: CreateDependencies): vscode.Disposable {
  const load = lazy(async () => new (await import('./MediaViews.ts')).MediaViews(dependencies));
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.create, {
      resolveWebviewView: async (view) => (await load()).showView(view),
    }),
    vscode.commands.registerCommand(commandIds.connectService, async () => (await load()).connectService()),
    vscode.commands.registerCommand(commandIds.compose, async (operation: unknown, uris: unknown) =>
      (await load()).compose(operation, uris),
    ),
    vscode.commands.registerCommand(commandIds.reusePrompt, async (video?: unknown) => (await load()).usePrompt(video)),
    vscode.commands.registerCommand(commandIds.compareVariants, async (argument?: unknown) =>
      (await load()).compareVariants(argument),
    ),
    vscode.commands.registerCommand(commandIds.openLibrary, async (argument?: unknown) =>
      (await load()).openLibrary(argument),
    ),
    vscode.window.registerWebviewPanelSerializer(libraryTabType, {
      deserializeWebviewPanel: async (panel) => (await load()).showPanel(panel),
    }),
    dependencies.jobs.onDidChange((id) => {
      if (dependencies.jobs.get(id)?.state === 'done' && hasUnfinished(dependencies.memory)) void load();
    }),
    load,
  );
}
