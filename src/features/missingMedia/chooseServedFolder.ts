import * as vscode from 'vscode';
import { section } from '../../contributions.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { documentOf } from './generateMissing.ts';
import type { MissingMedia } from './MissingMedia.ts';

/**
 * Asks which folder the site of a document serves at its top, and remembers it in the setting `references`.
 *
 * @param argument `{uri}`: the document
 * @returns the folder, relative to the workspace folder; undefined when the person dismissed the question
 */
export async function chooseServedFolder(argument: unknown, media: MissingMedia): Promise<string | undefined> {
  const title = vscode.l10n.t('Choose the Folder That the Site Serves');
  const { uri } = checkFields(title, ['uri'], argument);
  const document = await vscode.workspace.openTextDocument(documentOf(uri));
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
  return chosen;
}
