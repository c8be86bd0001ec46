import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { ImageDependencies } from './ImageCommands.ts';

/** Registers the commands for local edits of images: by arguments, or in a tab with a preview. */
export function registerImages(dependencies: ImageDependencies): vscode.Disposable {
  const load = lazy(async () => new (await import('./ImageCommands.ts')).ImageCommands(dependencies));
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.transformImage, async (argument?: unknown) =>
      (await load()).transform(argument),
    ),
    vscode.commands.registerCommand(commandIds.saveFaviconSet, async (argument?: unknown) =>
      (await load()).saveFavicons(argument),
    ),
    load,
  );
}
