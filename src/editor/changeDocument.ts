import type * as vscode from 'vscode';

/** Maximum number of attempts when the document changes while its edit is computed. */
const maxAttempts = 5;

/**
 * Changes a document by an edit that fits its text: when the text changes while the edit is computed, it is computed
 * again. VS Code compares only with the text at the call of `applyEdit`, so it would put an older edit elsewhere.
 *
 * @param find returns the document; undefined when it cannot be changed any more
 * @param prepare computes the edit, and returns what applies it
 * @returns false when it was not changed
 */
export async function changeDocument(
  find: () => vscode.TextDocument | undefined,
  prepare: (document: vscode.TextDocument) => Promise<() => Thenable<boolean>>,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const document = find();
    if (!document) return false;
    const { version } = document;
    const apply = await prepare(document);
    // The version of a closed document stays as it was.
    if (document.isClosed || document.version !== version || find() !== document) continue;
    if (await apply()) return true;
  }
  return false;
}
