import * as vscode from 'vscode';
import { reasonOf } from '../operations/MediaError.ts';

/**
 * Moves a file to the trash after asking. Where there is no trash, asks again and deletes the file.
 *
 * @param detail says what is kept
 * @returns whether the file is gone
 */
export async function deleteFile(uri: vscode.Uri, detail: string): Promise<boolean> {
  const name = vscode.workspace.asRelativePath(uri);
  const remove = vscode.l10n.t('Move to Trash');
  const question = vscode.l10n.t('Delete {0}?', name);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return false;
  try {
    await vscode.workspace.fs.delete(uri, { useTrash: true });
    return true;
  } catch (error) {
    return deletePermanently(uri, name, error);
  }
}

/** Not every computer and not every workspace has a trash. */
async function deletePermanently(uri: vscode.Uri, name: string, cause: unknown): Promise<boolean> {
  const remove = vscode.l10n.t('Delete Permanently');
  const question = vscode.l10n.t('{0} cannot be moved to the trash. Delete it permanently?', name);
  const detail = reasonOf(cause);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return false;
  try {
    await vscode.workspace.fs.delete(uri);
    return true;
  } catch (error) {
    void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be deleted: {1}', name, reasonOf(error)));
    return false;
  }
}
