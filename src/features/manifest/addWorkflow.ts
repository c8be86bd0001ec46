import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import { statOf, writeIfAbsent } from '../../editor/workspaceFiles.ts';
import { MediaError } from '../../operations/MediaError.ts';

const names = ['.github', 'workflows', 'media.yml'] as const;
const path = names.join('/');

/**
 * Adds a workflow that checks the assets of pull requests, unless the file exists.
 *
 * @returns the workflow file, which is shown
 * @throws MediaError `save` when the file or a folder above it is a link, which may lead out of the folder
 */
export async function addWorkflow(extensionUri: vscode.Uri): Promise<vscode.Uri | undefined> {
  const folder = await chosenFolder();
  if (!folder) return undefined;
  for (const [index] of names.entries()) {
    const part = vscode.Uri.joinPath(folder.uri, ...names.slice(0, index + 1));
    const { type = vscode.FileType.Unknown } = (await statOf(part)) ?? {};
    if ((type & vscode.FileType.SymbolicLink) === 0) continue;
    const link = names.slice(0, index + 1).join('/');
    throw new MediaError('save', vscode.l10n.t('{0} is a link, so nothing is written there.', link));
  }
  const file = vscode.Uri.joinPath(folder.uri, ...names);
  if (!(await writeIfAbsent(file, await workflowOf(extensionUri)))) {
    void notify.information(vscode.l10n.t('{0} already exists and was not changed.', path));
  }
  await vscode.window.showTextDocument(file);
  return file;
}

/** Returns the workflow with the command line of this version, so that a later one cannot change what runs. */
async function workflowOf(extensionUri: vscode.Uri): Promise<string> {
  const read = async (...path: readonly string[]) =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, ...path)));
  const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
  return (await read('media', 'workflow.yml')).replaceAll('{version}', version);
}

/** Returns the only workspace folder, or the one that the person chooses. */
export async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}
