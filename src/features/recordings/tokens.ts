import * as vscode from 'vscode';
import { isShown } from '../../editor/DocumentAnchor.ts';

/** How often an edit is tried again when the document changes in the same moment. */
const maxTries = 5;

/** Whether a token stands in an open document. */
export function tokenStands(token: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.getText().includes(token));
}

/**
 * Puts a text in the place of a token, as one step to undo.
 *
 * @param text the text itself, or what makes it for the place
 * @returns false where no document that is shown holds the token
 */
export async function replaceToken(
  token: string,
  text: string | ((document: vscode.TextDocument, at: vscode.Position) => Promise<string>),
): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries++) {
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
