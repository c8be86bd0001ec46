import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, repeatedly } from './eventually.ts';

/** The workspace folder. */
export function workspaceRoot(): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert(folder);
  return folder;
}

/** Writes files into the workspace folder, by path. */
export async function writeFiles(
  root: vscode.Uri,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, path), bytes);
  }
}

/** Returns this extension's quick fixes at a text of a document, as the light bulb shows them. */
export async function fixesAt(
  document: vscode.TextDocument,
  text: string,
  ...more: readonly unknown[]
): Promise<readonly vscode.CodeAction[]> {
  const start = document.getText().indexOf(text);
  assert(start >= 0, text);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + text.length));
  const ask = async (): Promise<readonly vscode.CodeAction[]> =>
    vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, range, ...more);
  // VS Code cancels the call when another extension, activated by the document, registers a provider meanwhile.
  const askAgain = (error: unknown): Promise<readonly vscode.CodeAction[]> => {
    if (String(error).includes('Canceled')) return ask().catch(askAgain);
    throw error;
  };
  const actions = await ask().catch(askAgain);
  return actions.filter(({ command }) => command?.command.startsWith('unifiedMedia.'));
}

export function titlesOf(fixes: readonly vscode.CodeAction[]): readonly string[] {
  return fixes.map(({ title }) => title);
}

/** Applies a quick fix as if it was chosen. */
export async function choose<T>(fixes: readonly vscode.CodeAction[], title: string): Promise<T> {
  const command = fixes.find((fix) => fix.title === title)?.command;
  assert(command, `There is no “${title}” in ${titlesOf(fixes).join(', ')}`);
  return vscode.commands.executeCommand<T>(command.command, ...(command.arguments ?? []));
}

/** Resolves when the editor has seen the new files and no reference is missing any more. */
export function untilFixed(document: vscode.TextDocument, text: string): Promise<void> {
  return eventually(repeatedly, async () => (await fixesAt(document, text)).length === 0);
}
