import * as vscode from 'vscode';
import { section } from '../../contributions.ts';
import type { MissingMedia } from './MissingMedia.ts';

/**
 * Asks which folder the site of a document serves at its top, and remembers it in the setting `references`.
 *
 * @returns its URI; undefined when the person dismissed the question
 */
export async function chooseServedFolder(
  document: vscode.TextDocument,
  media: MissingMedia,
): Promise<string | undefined> {
  const title = vscode.l10n.t('Choose the Folder That the Site Serves');
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
  if (!root) return undefined;
  const folders = await media.foldersToServe(document);
  const chosen = await vscode.window.showQuickPick(
    folders.map((folder) => folder || '.'),
    { title, placeHolder: vscode.l10n.t('Folder whose files have addresses that begin with /'), ignoreFocusOut: true },
  );
  if (chosen === undefined) return undefined;
  const configuration = vscode.workspace.getConfiguration(section, root);
  const known = configuration.get<unknown>('references');
  const others = typeof known === 'object' ? known : {};
  const target = vscode.ConfigurationTarget.WorkspaceFolder;
  await configuration.update('references', { ...others, '/': chosen }, target);
  return vscode.Uri.joinPath(root, chosen).toString();
}
