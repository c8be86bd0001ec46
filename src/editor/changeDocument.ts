import * as vscode from 'vscode';

/** Maximum number of attempts when the document changes while its edit is computed. */
const maxAttempts = 5;
/** Time without a change after which an edit is computed again, in milliseconds. */
const pause = 300;
/** Maximum time to wait for it, in milliseconds. */
const maxWait = 30_000;

/**
 * Changes a document by an edit that fits its text: when the text changes while the edit is computed, it is computed
 * again as soon as the text stays. VS Code compares only with the text at the call of `applyEdit`, so it would put an
 * older edit elsewhere.
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
    if (!document || document.isClosed) return false;
    const { version } = document;
    const apply = await prepare(document);
    // The version of a closed document stays as it was.
    const isSame = !document.isClosed && document.version === version && find() === document;
    if (isSame && (await apply())) return true;
    if (document.version !== version && !(await settles(document))) return false;
  }
  return false;
}

/** Returns a sentence that says why a document was not changed. */
export function unchangedSentence({ uri }: vscode.TextDocument): string {
  const name = vscode.workspace.asRelativePath(uri);
  return vscode.l10n.t('{0} was not changed, because it kept changing or cannot be edited.', name);
}

/** Waits until a document has not changed for a moment. @returns false if it kept changing */
async function settles(document: vscode.TextDocument): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = setTimeout(() => resolve(false), maxWait);
  let timer = setTimeout(() => resolve(true), pause);
  const changes = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document !== document) return;
    clearTimeout(timer);
    timer = setTimeout(() => resolve(true), pause);
  });
  try {
    return await promise;
  } finally {
    changes.dispose();
    clearTimeout(end);
    clearTimeout(timer);
  }
}

/** Returns edits without those that several references of a document share: the import of their file. */
export function eachOnce(edits: readonly vscode.TextEdit[]): vscode.TextEdit[] {
  const keyOf = ({ range, newText }: vscode.TextEdit) => JSON.stringify([range, newText]);
  return [...new Map(edits.map((edit) => [keyOf(edit), edit])).values()];
}
