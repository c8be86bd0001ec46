import * as vscode from 'vscode';
import type { DocumentAnchor } from '../../editor/DocumentAnchor.ts';
import { plainText } from '../../editor/displayText.ts';
import type { MissingMedia } from './MissingMedia.ts';
import type { Renamed } from './withNameOf.ts';
import { withNameOf } from './withNameOf.ts';

/** Maximum number of attempts when the document changes during the edit. */
const maxAttempts = 5;

/**
 * Changes references to the files that were actually saved, as one undo step. When no tab shows the document any more,
 * a message offers to do it.
 */
export async function correctReferences(
  anchor: DocumentAnchor,
  renamed: readonly Renamed[],
  media: MissingMedia,
): Promise<void> {
  if (anchor.document && (await correct(anchor.document, renamed, media))) return;
  const button = vscode.l10n.t('Correct References');
  const names = renamed.map(({ saved }) => vscode.workspace.asRelativePath(anchor.uri.with({ path: saved })));
  const sentence = vscode.l10n.t(
    'Saved as {0}, because the service did not return the file type that the reference in {1} names.',
    names.join(', '),
    vscode.workspace.asRelativePath(anchor.uri),
  );
  if ((await vscode.window.showInformationMessage(plainText(sentence), button)) !== button) return;
  const document = await vscode.workspace.openTextDocument(anchor.uri);
  await vscode.window.showTextDocument(document, { preview: false });
  await correct(document, renamed, media);
}

async function correct(
  document: vscode.TextDocument,
  renamed: readonly Renamed[],
  media: MissingMedia,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { version } = document;
    const edit = new vscode.WorkspaceEdit();
    for (const reference of await media.referencesIn(document)) {
      const target = await media.targetOf(document, reference);
      const file = renamed.find(({ requested }) => requested === target);
      const { start, end } = reference.range;
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      const href = file && withNameOf(document.getText(range), file);
      if (href !== undefined) edit.replace(document.uri, range, href);
    }
    if (document.version === version && (await vscode.workspace.applyEdit(edit))) return true;
  }
  return false;
}
