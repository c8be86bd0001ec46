import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as vscode from 'vscode';
import { reasonOf } from '../operations/MediaError.ts';
import { askInDialog, notify } from './notify.ts';

/** Identifies a file's content. The hash is computed only when it is asked for. */
export interface FileContent {
  readonly bytes: number;
  /** In hexadecimal. Reads the whole file. */
  sha256(): Promise<string>;
}

/** Returns the content of a file; undefined when it does not exist. */
export async function fileContent(uri: vscode.Uri): Promise<FileContent | undefined> {
  const stat = await statOf(uri);
  if (stat === undefined || (stat.type & vscode.FileType.Directory) !== 0) return undefined;
  return { bytes: stat.size, sha256: () => sha256Of(uri) };
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return (await statOf(uri)) !== undefined;
}

/** Returns a file itself, or the files in a folder and its subfolders up to a limit; empty when nothing is there. */
export async function filesAt(uri: vscode.Uri, maxFiles: number): Promise<readonly vscode.Uri[]> {
  const stat = await statOf(uri);
  if (stat?.type === vscode.FileType.File) return [uri];
  // Links are not followed, since they may lead back.
  if (stat?.type !== vscode.FileType.Directory) return [];
  const found: vscode.Uri[] = [];
  for (const [name, type] of await vscode.workspace.fs.readDirectory(uri)) {
    if (found.length >= maxFiles) break;
    const child = vscode.Uri.joinPath(uri, name);
    if (type === vscode.FileType.File) found.push(child);
    else if (type === vscode.FileType.Directory) found.push(...(await filesAt(child, maxFiles - found.length)));
  }
  return found;
}

/** Returns the stat of a file or folder; undefined when it does not exist or cannot be read. */
export async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch {
    return undefined;
  }
}

/**
 * Writes a file unless it exists.
 *
 * @throws when it cannot be told whether the file exists, so that it is never replaced
 */
export async function writeIfAbsent(uri: vscode.Uri, text: string): Promise<void> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) || error.code !== 'FileNotFound') throw error;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  }
}

/** In hexadecimal. @throws when the file cannot be read */
export async function sha256Of(uri: vscode.Uri): Promise<string> {
  const hash = createHash('sha256');
  if (uri.scheme !== 'file') return hash.update(await vscode.workspace.fs.readFile(uri)).digest('hex');
  for await (const chunk of createReadStream(uri.fsPath)) hash.update(chunk);
  return hash.digest('hex');
}

export async function openUris(uris: readonly (string | vscode.Uri)[]): Promise<void> {
  for (const uri of uris) {
    const file = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
    await vscode.commands.executeCommand('vscode.open', file, { preview: false });
  }
}

/**
 * Moves files to the trash after asking once.
 *
 * @param detail says what is kept
 * @returns whether at least one of the files is gone
 */
export async function deleteFiles(uris: readonly vscode.Uri[], detail: string): Promise<boolean> {
  const names = uris.map((uri) => vscode.workspace.asRelativePath(uri));
  const [first] = names;
  if (first === undefined) return false;
  const remove = vscode.l10n.t('Move to Trash');
  const isOne = names.length === 1;
  const question = isOne ? vscode.l10n.t('Delete {0}?', first) : vscode.l10n.t('Delete {0} files?', names.length);
  const explained = isOne ? detail : `${names.join('\n')}\n\n${detail}`;
  return (await askInDialog(question, explained, remove)) === remove && moveToTrash(uris);
}

/**
 * Asks what becomes of the files that were compared with the one that a person keeps.
 *
 * @param kept name of that file
 * @param detail says what is kept of the others
 * @returns undefined when the person dismissed the question
 */
export async function askAboutOthers(
  kept: string,
  others: readonly vscode.Uri[],
  detail: string,
): Promise<'trash' | 'unstar' | undefined> {
  const [trash, unstar] = [vscode.l10n.t('Move to Trash'), vscode.l10n.t('Only Remove Their Stars')];
  const names = others.map((uri) => vscode.workspace.asRelativePath(uri));
  const question = vscode.l10n.t('Keep {0}. What should happen to the others?', kept);
  const chosen = await askInDialog(question, `${names.join('\n')}\n\n${detail}`, trash, unstar);
  if (chosen === undefined) return undefined;
  return chosen === trash ? 'trash' : 'unstar';
}

/**
 * Moves files to the trash. Where there is none, asks and deletes the file.
 *
 * @returns whether at least one of the files is gone
 */
export async function moveToTrash(uris: readonly vscode.Uri[]): Promise<boolean> {
  let isAnyGone = false;
  for (const uri of uris) {
    try {
      await vscode.workspace.fs.delete(uri, { useTrash: true });
      isAnyGone = true;
    } catch (error) {
      const isGone = await deletePermanently(uri, vscode.workspace.asRelativePath(uri), error);
      isAnyGone ||= isGone;
    }
  }
  return isAnyGone;
}

/** Not every computer and not every workspace has a trash. */
async function deletePermanently(uri: vscode.Uri, name: string, cause: unknown): Promise<boolean> {
  const remove = vscode.l10n.t('Delete Permanently');
  const question = vscode.l10n.t('{0} cannot be moved to the trash. Delete it permanently?', name);
  const detail = reasonOf(cause);
  if ((await askInDialog(question, detail, remove)) !== remove) return false;
  try {
    await vscode.workspace.fs.delete(uri);
    return true;
  } catch (error) {
    void notify.error(vscode.l10n.t('{0} could not be deleted: {1}', name, reasonOf(error)));
    return false;
  }
}
