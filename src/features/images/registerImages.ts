import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the commands for local edits of images: by arguments, or in a tab with a preview. */
export function registerImages(
  dependencies: Pick<Window, 'settings' | 'places' | 'projects' | 'log' | 'context'>,
): vscode.Disposable {
  const load = lazy(async () => new (await import('./ImageCommands.ts')).ImageCommands(dependencies));
  return vscode.Disposable.from(
    register(load, {
      [commandIds.transformImage]: (commands, argument) => commands.transform(argument),
      [commandIds.saveFaviconSet]: (commands, argument) => commands.saveFavicons(argument),
    }),
    load,
  );
}
