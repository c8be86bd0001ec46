import * as vscode from 'vscode';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingMedia } from './MissingMedia.ts';

/**
 * Makes the references of a document to one file lead to another, as one undo step.
 *
 * @param argument `{uri, path, file}`: the document, and the paths of the two files as in URIs
 * @returns the number of changed references
 */
export async function pointToFile(argument: unknown, media: MissingMedia): Promise<number> {
  const { uri, path, file } = checkFields(vscode.l10n.t('Point to File'), ['uri', 'path', 'file'], argument);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(String(uri), true));
  const writer = await media.references();
  const edit = new vscode.WorkspaceEdit();
  let changed = 0;
  for (const reference of await media.referencesIn(document)) {
    if ((await media.targetOf(document, reference)) !== path) continue;
    const address = await writer.addressFor(document, reference, String(file));
    if (address === undefined) continue;
    const { start, end } = reference.range;
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), address);
    changed++;
  }
  return (await vscode.workspace.applyEdit(edit)) ? changed : 0;
}
