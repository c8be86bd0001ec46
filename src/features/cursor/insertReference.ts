import * as vscode from 'vscode';
import type { DocumentAnchor } from '../../editor/DocumentAnchor.ts';
import { plainText } from '../../editor/displayText.ts';
import { offerToOpen, openUris } from '../../editor/openAssets.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Asset } from '../../library/Asset.ts';

export interface Written {
  readonly anchor: DocumentAnchor;
  /** The selected text, which the reference replaces. */
  readonly selected: string;
  readonly references: ReferenceWriter;
}

/** Maximum number of attempts when the document changes during the edit. */
const maxAttempts = 5;

/**
 * Inserts a reference at its place, as one undo step.
 *
 * @returns false when no tab shows the document
 */
export async function insertReference(
  assets: readonly Asset[],
  { anchor, selected, references }: Written,
): Promise<boolean> {
  const uris = assets.map(({ uri }) => vscode.Uri.parse(uri, true));
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = anchor.document;
    if (!before) return false;
    const text = await references.textFor(before, anchor.range.start, { uris, title: assets[0]?.prompt });
    const { document, range } = anchor;
    if (!document || document !== before) continue;
    // Text that the person changed meanwhile stays.
    const isUnchanged = document.getText(range) === selected;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, isUnchanged ? range : new vscode.Range(range.end, range.end), text);
    if (await vscode.workspace.applyEdit(edit)) return true;
  }
  return false;
}

/** Says that the document was closed meanwhile. Reopens it and inserts the reference if the person wants to. */
export async function offerToInsert(assets: readonly Asset[], written: Written): Promise<void> {
  const { uri } = written.anchor;
  // A closed untitled document is gone.
  if (uri.scheme === 'untitled') return offerToOpen(assets.map((asset) => asset.uri));
  const [insert, open] = [vscode.l10n.t('Insert'), vscode.l10n.t('Open')];
  const names = assets.map((asset) => vscode.workspace.asRelativePath(vscode.Uri.parse(asset.uri, true))).join(', ');
  const sentence = vscode.l10n.t(
    '{0} was saved. No reference was inserted, because {1} was closed in the meantime.',
    names,
    vscode.workspace.asRelativePath(uri),
  );
  const chosen = await vscode.window.showInformationMessage(plainText(sentence), insert, open);
  if (chosen === open) return openUris(assets.map((asset) => asset.uri));
  if (chosen !== insert) return;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(written.anchor.uri), { preview: false });
  await insertReference(assets, written);
}
