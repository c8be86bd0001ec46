import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as vscode from 'vscode';

/** What tells whether two files hold the same, without reading more than has to be. */
export interface FileContent {
  readonly bytes: number;
  /** Hexadecimal; reads the whole file. */
  sha256(): Promise<string>;
}

/** The content of a file; undefined where there is none. */
export async function fileContent(uri: vscode.Uri): Promise<FileContent | undefined> {
  const stat = await statOf(uri);
  if (stat === undefined || (stat.type & vscode.FileType.Directory) !== 0) return undefined;
  return { bytes: stat.size, sha256: () => sha256Of(uri) };
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return (await statOf(uri)) !== undefined;
}

/** Up to so many files in a folder and those below it, or the file itself; nothing where there is none. */
export async function filesAt(uri: vscode.Uri, most: number): Promise<readonly vscode.Uri[]> {
  const stat = await statOf(uri);
  if (stat?.type === vscode.FileType.File) return [uri];
  // Not into links, which may lead back.
  if (stat?.type !== vscode.FileType.Directory) return [];
  const found: vscode.Uri[] = [];
  for (const [name, type] of await vscode.workspace.fs.readDirectory(uri)) {
    if (found.length >= most) break;
    const child = vscode.Uri.joinPath(uri, name);
    if (type === vscode.FileType.File) found.push(child);
    else if (type === vscode.FileType.Directory) found.push(...(await filesAt(child, most - found.length)));
  }
  return found;
}

/** Stats a file or a folder; undefined where there is none, or where it cannot be read. */
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
