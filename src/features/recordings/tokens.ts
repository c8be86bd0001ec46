import * as vscode from 'vscode';
import { isShown } from '../../editor/DocumentAnchor.ts';

/** Maximum number of attempts when the document changes during the edit. */
const maxAttempts = 5;

/** Whether an open document contains a token. */
export function isTokenOpen(token: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.getText().includes(token));
}

/**
 * Replaces a token, as one undo step.
 *
 * @param text the replacement, or a function that writes it for the token's position
 * @returns false when no visible document contains the token
 */
export async function replaceToken(
  token: string,
  text: string | ((document: vscode.TextDocument, at: vscode.Position) => Promise<string>),
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const document = vscode.workspace.textDocuments.find((one) => isShown(one.uri) && one.getText().includes(token));
    if (!document) return false;
    const { version } = document;
    const at = document.positionAt(document.getText().indexOf(token));
    const written = typeof text === 'string' ? text : await text(document, at);
    if (document.version !== version || document.isClosed) continue;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(at, at.translate(0, token.length)), written);
    if (await vscode.workspace.applyEdit(edit)) return true;
  }
  return false;
}
