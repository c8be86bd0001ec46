import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

export interface ImageDependencies {
  readonly settings: Pick<Settings, 'openAfterSave'>;
  readonly places: WorkspacePlaces;
  readonly log: vscode.LogOutputChannel;
  /** The extension's own folder. */
  readonly extensionUri: vscode.Uri;
}

/** Local edits of pictures: by arguments, or in a tab that shows what becomes of the picture. */
export function registerImages(dependencies: ImageDependencies): vscode.Disposable {
  const load = lazy(async () => new (await import('./ImageCommands.ts')).ImageCommands(dependencies));
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.transformImage, async (argument?: unknown) =>
      (await load()).transform(argument),
    ),
    load,
  );
}
