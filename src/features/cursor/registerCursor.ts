import type * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the command that generates an image at the cursor. */
export function registerCursor(
  dependencies: Pick<Window, 'settings' | 'places' | 'log' | 'runs' | 'lastEditors' | 'references'>,
): vscode.Disposable {
  return register(() => import('./generateAtCursor.ts'), {
    [commandIds.generateImageAtCursor]: ({ generateAtCursor }, argument) => generateAtCursor(argument, dependencies),
  });
}
