import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import { plainLine } from '../foreign/plainText.ts';
import type { Usage } from '../library/LibraryRecord.ts';
import { describeUsage } from '../library/requestFacts.ts';
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

async function sha256Of(uri: vscode.Uri): Promise<string> {
  const hash = createHash('sha256');
  if (uri.scheme !== 'file') return hash.update(await vscode.workspace.fs.readFile(uri)).digest('hex');
  for await (const chunk of createReadStream(uri.fsPath)) hash.update(chunk);
  return hash.digest('hex');
}

/** Reports what was saved and what it cost, with buttons to open and to insert it. */
export async function offerToOpen(uris: readonly string[], usages: readonly Usage[] = []): Promise<void> {
  const open = vscode.l10n.t('Open');
  const insert = vscode.l10n.t('Insert at Cursor');
  const chosen = await notify.information(savedSentence(uris, usages), open, insert);
  if (chosen === open) await openUris(uris);
  if (chosen === insert) await vscode.commands.executeCommand(commandIds.insertAsset, { uris });
}

/**
 * Reports files that were saved but not inserted, with buttons to insert and to open them.
 *
 * @param describe returns the sentence, given the files' names
 */
export async function offerToInsert(
  uris: readonly string[],
  describe: (names: string) => string,
  insert: () => Promise<unknown>,
): Promise<void> {
  const [insertButton, open] = [vscode.l10n.t('Insert'), vscode.l10n.t('Open')];
  const names = uris.map((uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true))).join(', ');
  const chosen = await notify.information(describe(names), insertButton, open);
  if (chosen === open) await openUris(uris);
  if (chosen === insertButton) await insert();
}

export async function openUris(uris: readonly (string | vscode.Uri)[]): Promise<void> {
  for (const uri of uris) {
    const file = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
    await vscode.commands.executeCommand('vscode.open', file, { preview: false });
  }
}

/** Returns a sentence on what was saved, and on the cost that the service reported. */
export function savedSentence(uris: readonly string[], usages: readonly Usage[]): string {
  const names = plainLine(uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', '));
  const saved = vscode.l10n.t('Saved {0}.', names);
  const reports = usages.map(describeUsage).filter((text) => text !== '');
  return reports.length === 0 ? saved : `${saved} ${vscode.l10n.t('The service reported: {0}.', reports.join('; '))}`;
}

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
  if ((await askInDialog(question, detail, remove)) !== remove) return false;
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
  if ((await askInDialog(question, detail, remove)) !== remove) return false;
  try {
    await vscode.workspace.fs.delete(uri);
    return true;
  } catch (error) {
    void notify.error(vscode.l10n.t('{0} could not be deleted: {1}', name, reasonOf(error)));
    return false;
  }
}
