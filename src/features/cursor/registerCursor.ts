import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { CursorDependencies } from './generateAtCursor.ts';

/** Registers the command that generates an image at the cursor. */
export function registerCursor(dependencies: CursorDependencies): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.generateImageAtCursor, async (argument?: unknown) => {
    const { generateAtCursor } = await import('./generateAtCursor.ts');
    return generateAtCursor(argument, dependencies);
  });
}
