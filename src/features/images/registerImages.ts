import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { ImageCommands } from './ImageCommands.ts';
import type { ImageDependencies } from './ImageDependencies.ts';

/** Local edits of pictures: by arguments, or in a tab that shows what becomes of the picture. */
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
