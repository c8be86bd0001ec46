import * as vscode from 'vscode';
import { anyOf, eventually } from './eventually.ts';

/**
 * Resolves when VS Code has read a changed file. It may still hold the document that an earlier test had open, and then
 * shows the old text until its file watcher reports the change.
 */
export function untilRead(uri: vscode.Uri, text: string): Promise<void> {
  const { onDidChangeTextDocument, onDidCloseTextDocument } = vscode.workspace;
  const held = () => vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return eventually(anyOf(onDidChangeTextDocument, onDidCloseTextDocument), () => (held()?.getText() ?? text) === text);
}
