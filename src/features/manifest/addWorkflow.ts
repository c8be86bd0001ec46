import * as vscode from 'vscode';
import { exists } from '../../editor/fileContent.ts';

const path = '.github/workflows/media.yml';

/**
 * Adds a workflow that checks the assets of pull requests, unless the file exists.
 *
 * @returns the workflow file, which is shown
 */
export async function addWorkflow(extensionUri: vscode.Uri): Promise<vscode.Uri | undefined> {
  const folder = await chosenFolder();
  if (!folder) return undefined;
  const file = vscode.Uri.joinPath(folder.uri, path);
  const template = vscode.Uri.joinPath(extensionUri, 'media', 'workflow.yml');
  if (await exists(file)) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} already exists and was not changed.', path));
  } else {
    await vscode.workspace.fs.writeFile(file, await vscode.workspace.fs.readFile(template));
  }
  await vscode.window.showTextDocument(file);
  return file;
}

async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}
