import * as vscode from 'vscode';
import { mediaKindOf } from '../documents/MediaReference.ts';
import { hashOf } from '../files/sha256.ts';
import { extensionOf, outputExtensions } from '../operations/operations.ts';
import { notify } from './notify.ts';

/** Returns the URI of a recorded file; undefined for a video that was added by its id. */
export function uriOf({
  root,
  entry: { file },
}: {
  readonly root: vscode.Uri;
  readonly entry: { readonly file?: string };
}): vscode.Uri | undefined {
  return file === undefined ? undefined : vscode.Uri.joinPath(root, file);
}

/** Identifies a file's content. The hash is computed only when it is asked for. */
export interface ContentIdentity {
  readonly bytes: number;
  /** In hexadecimal. Reads the whole file. */
  sha256(): Promise<string>;
}

/** Returns the content of a file; undefined when it does not exist. */
export async function fileContent(uri: vscode.Uri): Promise<ContentIdentity | undefined> {
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

/** Returns what is in a folder; nothing when it does not exist or cannot be read. */
export async function entriesIn(folder: vscode.Uri): Promise<readonly [name: string, type: vscode.FileType][]> {
  try {
    return await vscode.workspace.fs.readDirectory(folder);
  } catch {
    return [];
  }
}

/** Returns the stat of a file or folder; undefined when it does not exist or cannot be read. */
export async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch {
    return undefined;
  }
}

/** Returns the workspace folders on this computer. */
export function foldersOnDisk(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/**
 * Writes a file unless it exists.
 *
 * @returns whether it was written
 * @throws when it cannot be told whether the file exists, so that it is never replaced
 */
export async function writeIfAbsent(uri: vscode.Uri, text: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return false;
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) || error.code !== 'FileNotFound') throw error;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    return true;
  }
}

/** In hexadecimal. @throws when the file cannot be read */
export async function sha256Of(uri: vscode.Uri): Promise<string> {
  if (uri.scheme !== 'file') return hashOf(await vscode.workspace.fs.readFile(uri));
  const { sha256OfFile } = await import('../files/readBytes.ts');
  return sha256OfFile(uri.fsPath);
}

export async function openUris(uris: readonly (string | vscode.Uri)[]): Promise<void> {
  for (const uri of uris) {
    const file = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
    await vscode.commands.executeCommand('vscode.open', file, { preview: false });
  }
}

/**
 * Opens a media file or a transcript with the system's program for it. Any other file opens in the editor, because a
 * library or a document that came with a folder may name a program. In a remote window, that system does not have the
 * file.
 */
export async function openExternally(uri: vscode.Uri): Promise<void> {
  const isSafe = mediaKindOf(uri.path) !== undefined || outputExtensions.transcripts.includes(extensionOf(uri.path));
  if (!isSafe) return openUris([uri]);
  if (vscode.env.remoteName === undefined) return void (await vscode.env.openExternal(uri));
  const sentence = vscode.l10n.t(
    'VS Code is connected to another system, whose files no program here can open. Right-click the file in the Explorer and choose “Download…”.',
  );
  await notify.information(sentence);
}
