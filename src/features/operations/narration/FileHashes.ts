import type * as vscode from 'vscode';
import { fileContent, statOf } from '../../../editor/workspaceFiles.ts';

interface Known {
  readonly size: number;
  readonly mtime: number;
  readonly sha256: Promise<string | undefined>;
}

/** Hashes of files, computed again only after a file changes. */
export class FileHashes {
  readonly #known = new Map<string, Known>();

  /** In hexadecimal; undefined when the file does not exist. */
  async sha256Of(uri: vscode.Uri): Promise<string | undefined> {
    const stat = await statOf(uri);
    if (!stat) return undefined;
    const { size, mtime } = stat;
    const known = this.#known.get(uri.toString());
    if (known?.size === size && known.mtime === mtime) return known.sha256;
    const sha256 = fileContent(uri).then((content) => content?.sha256());
    this.#known.set(uri.toString(), { size, mtime, sha256: sha256.catch(() => undefined) });
    return sha256;
  }
}
