import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';

/** What can be done with files that were made, from wherever they are shown: `{uri}`, or an item of a view. */
export function registerAssets(): vscode.Disposable {
  const register = (id: string, run: (assets: typeof import('./assetCommands.ts'), argument: unknown) => unknown) =>
    vscode.commands.registerCommand(id, async (argument?: unknown) =>
      run(await import('./assetCommands.ts'), argument),
    );
  return vscode.Disposable.from(
    register(commandIds.insertAsset, ({ insertAsset }, argument) => insertAsset(argument)),
    register(commandIds.openAsset, ({ openAsset }, argument) => openAsset(argument)),
    register(commandIds.playVideo, ({ openAsset }, argument) => openAsset(argument)),
    register(commandIds.revealAsset, ({ revealAsset }, argument) => revealAsset(argument)),
  );
}
