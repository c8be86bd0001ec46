import * as vscode from 'vscode';
import type { DocumentAnchor } from '../../editor/DocumentAnchor.ts';
import { offerToInsert, offerToOpen } from '../../editor/openAssets.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Asset } from '../../library/Asset.ts';

export interface Insertion {
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
  { anchor, selected, references }: Insertion,
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
export async function offerReference(assets: readonly Asset[], insertion: Insertion): Promise<void> {
  const { uri } = insertion.anchor;
  const uris = assets.map((asset) => asset.uri);
  // A closed untitled document is gone.
  if (uri.scheme === 'untitled') return offerToOpen(uris);
  await offerToInsert(
    uris,
    (names) =>
      vscode.l10n.t(
        '{0} was saved. No reference was inserted, because {1} was closed in the meantime.',
        names,
        vscode.workspace.asRelativePath(uri),
      ),
    async () => {
      const document = await vscode.workspace.openTextDocument(insertion.anchor.uri);
      await vscode.window.showTextDocument(document, { preview: false });
      await insertReference(assets, insertion);
    },
  );
}
