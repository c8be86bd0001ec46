import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { CursorDependencies } from './CursorDependencies.ts';

/** Generates images where the cursor is. */
export function registerCursor(dependencies: CursorDependencies): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.generateImageAtCursor, async (argument?: unknown) => {
    const { generateAtCursor } = await import('./generateAtCursor.ts');
    return generateAtCursor(argument, dependencies);
  });
}
