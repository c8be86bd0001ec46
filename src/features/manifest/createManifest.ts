import * as vscode from 'vscode';
import { writeIfAbsent } from '../../editor/workspaceFiles.ts';
import { manifestName } from '../../manifest/Manifest.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { chosenFolder } from './addWorkflow.ts';

/**
 * Creates a manifest with a commented sample in the workspace folder, unless there is one, and shows it.
 *
 * @param extensionUri the extension's installation folder
 * @param model the model of the sample's picture
 * @returns undefined when the person chose no folder
 * @throws MediaError `invalidInput` without a local folder
 */
export async function createManifest(extensionUri: vscode.Uri, model: string): Promise<vscode.Uri | undefined> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  const folder = await chosenFolder();
  if (!folder && folders.length > 0) return undefined;
  if (folder?.uri.scheme !== 'file') {
    const sentence = vscode.l10n.t('Open a folder of this computer first: media.jsonc is created in it.');
    throw new MediaError('invalidInput', sentence);
  }
  const manifest = vscode.Uri.joinPath(folder.uri, manifestName);
  const sample = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'media', 'media.sample.jsonc'));
  const quoted = JSON.stringify(model).slice(1, -1);
  await writeIfAbsent(
    manifest,
    new TextDecoder().decode(sample).replace('{model}', () => quoted),
  );
  await vscode.window.showTextDocument(manifest);
  return manifest;
}
