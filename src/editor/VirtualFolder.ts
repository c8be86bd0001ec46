import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Folder } from '../library/Folder.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

/** A folder of a virtual workspace: there is nothing to stream to, files are written in one piece. */
export class VirtualFolder implements Folder {
  readonly uri: string;
  readonly #location: vscode.Uri;
  #appending: Promise<void> = Promise.resolve();

  constructor(location: vscode.Uri) {
    this.#location = location;
    this.uri = location.toString();
  }

  uriOf(name: string): string {
    return this.#at(name).toString();
  }

  async check(appendTo?: string): Promise<void> {
    const probe = this.#at(`.${randomUUID()}.part`);
    try {
      await vscode.workspace.fs.createDirectory(this.#location);
      await vscode.workspace.fs.writeFile(probe, new Uint8Array());
      await vscode.workspace.fs.delete(probe);
      if (appendTo !== undefined && !(await this.#exists(this.#at(appendTo))))
        await this.#append(this.#at(appendTo), '');
    } catch (error) {
      const sentence = vscode.l10n.t('Files cannot be saved in {0} ({1}).', this.uri, reasonOf(error));
      throw new MediaError('save', sentence, { cause: error });
    }
  }

  async create(name: string, data: AsyncIterable<Uint8Array>): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    await vscode.workspace.fs.writeFile(this.#at(name), Buffer.concat(chunks));
  }

  async moveIfAbsent(from: string, to: string): Promise<boolean> {
    try {
      await vscode.workspace.fs.rename(this.#at(from), this.#at(to), { overwrite: false });
      return true;
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileExists') return false;
      throw error;
    }
  }

  append(name: string, text: string): Promise<void> {
    // There is no append: two at once would lose a line.
    const appended = this.#appending.then(() => this.#append(this.#at(name), text));
    this.#appending = appended.catch(() => undefined);
    return appended;
  }

  async remove(name: string): Promise<void> {
    try {
      await vscode.workspace.fs.delete(this.#at(name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async read(name: string, from = 0): Promise<Uint8Array | undefined> {
    return (await this.#readBytes(this.#at(name)))?.subarray(from);
  }

  async #append(file: vscode.Uri, text: string): Promise<void> {
    const before = (await this.#readBytes(file)) ?? new Uint8Array();
    await vscode.workspace.fs.writeFile(file, Buffer.concat([before, Buffer.from(text)]));
  }

  async #exists(file: vscode.Uri): Promise<boolean> {
    try {
      await vscode.workspace.fs.stat(file);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #readBytes(file: vscode.Uri): Promise<Uint8Array | undefined> {
    try {
      return await vscode.workspace.fs.readFile(file);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #at(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#location, name);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
}
