import * as vscode from 'vscode';
import { mediaExtensions } from '../../documents/MediaReference.ts';
import { editorInUse, offerTextEditor } from '../../editor/editorInUse.ts';
import { openUris } from '../../editor/openAssets.ts';
import type { AssetReferences } from './AssetReferences.ts';

/** Writes references to files at the cursor. */
export async function insertAsset(references: AssetReferences, argument: unknown): Promise<boolean> {
  const { editor, otherEditor } = editorInUse();
  if (otherEditor) void offerTextEditor(otherEditor);
  if (!editor) {
    if (otherEditor) return false;
    void vscode.window.showInformationMessage(vscode.l10n.t('Open the document first that the file belongs into.'));
    return false;
  }
  const given = urisOf(argument);
  const uris = given.length > 0 ? given : await chooseFile();
  if (uris.length === 0) return false;
  const text = await references.textFor(editor.document, editor.selection.active, { uris, title: titleOf(argument) });
  return editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

export async function openAsset(argument: unknown): Promise<void> {
  await openUris(urisOf(argument));
}

/** Shows a file in the Explorer, or where it is in no workspace folder, in the system's. */
export async function revealAsset(argument: unknown): Promise<void> {
  const [uri] = urisOf(argument);
  if (!uri) return;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}

/** The files of an argument: `uri`, or `uris` of several, each a Uri or its text. */
function urisOf(argument: unknown): readonly vscode.Uri[] {
  if (typeof argument !== 'object' || argument === null) return [];
  const { uri, uris } = argument as { readonly uri?: unknown; readonly uris?: unknown };
  return (Array.isArray(uris) ? uris : [uri]).flatMap((value: unknown) => {
    if (value instanceof vscode.Uri) return [value];
    return typeof value === 'string' ? [vscode.Uri.parse(value, true)] : [];
  });
}

/** What becomes its alternative text. */
function titleOf(argument: unknown): string | undefined {
  const title = typeof argument === 'object' && argument !== null && 'title' in argument ? argument.title : undefined;
  return typeof title === 'string' ? title : undefined;
}

async function chooseFile(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(`**/*.{${mediaExtensions.join(',')}}`, undefined, 1000);
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const title = vscode.l10n.t('Insert Asset at Cursor');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Choose a file') });
  return chosen ? [chosen.uri] : [];
}
