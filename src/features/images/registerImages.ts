import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { ImageCommands } from './ImageCommands.ts';

export interface ImageDependencies {
  readonly settings: Pick<Settings, 'openAfterSave'>;
  readonly places: WorkspacePlaces;
  readonly log: vscode.LogOutputChannel;
  /** The extension's installation folder. */
  readonly extensionUri: vscode.Uri;
}

/** Registers the command for local edits of images: by arguments, or in a tab with a preview. */
export function registerImages(dependencies: ImageDependencies): vscode.Disposable {
  let loading: Promise<ImageCommands> | undefined;
  const load = () => {
    loading ??= import('./ImageCommands.ts').then(({ ImageCommands }) => new ImageCommands(dependencies));
    return loading;
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.transformImage, async (argument?: unknown) =>
      (await load()).transform(argument),
    ),
    { dispose: () => void loading?.then((commands) => commands.dispose()).catch(() => undefined) },
  );
}
