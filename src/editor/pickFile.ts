import { posix } from 'node:path';
import * as vscode from 'vscode';

/** A file that the person can pick; without a URI, the way to other files. */
export interface FileItem extends vscode.QuickPickItem {
  readonly uri?: vscode.Uri;
}

/** More than a person scrolls through; typing narrows the list. */
const maxFiles = 1000;

/**
 * Returns the workspace's files in the order of their names, and last the way to other files.
 *
 * @param extensions lower case, without dot
 */
export async function fileItems(extensions: readonly string[]): Promise<readonly FileItem[]> {
  const either = extensions.flatMap((extension) => [extension, extension.toUpperCase()]);
  const files = await vscode.workspace.findFiles(`**/*.{${either.join(',')}}`, undefined, maxFiles);
  const items = files.map((uri): FileItem => {
    const path = vscode.workspace.asRelativePath(uri);
    return { label: posix.basename(path), description: posix.dirname(path).replace(/^\.$/, ''), uri };
  });
  items.sort((one, other) => one.label.localeCompare(other.label));
  return [...items, { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true }];
}

/** Asks for a file with one of the extensions. @returns undefined when the person dismissed the question */
export async function pickFile(
  title: string,
  placeHolder: string,
  extensions: readonly string[],
): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showQuickPick(fileItems(extensions), { title, placeHolder });
  if (!chosen || chosen.uri) return chosen?.uri;
  const [opened] = (await vscode.window.showOpenDialog({ title, filters: { [title]: [...extensions] } })) ?? [];
  return opened;
}
