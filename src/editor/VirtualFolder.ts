import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { type CreatedFile, type FileContent, type Folder, hasFile } from '../files/Folder.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

const lineBreak = 10;
/** How many times lines are appended before they count as lost. */
const attempts = 5;

/** A folder of a virtual workspace. Nothing can be streamed there, so each file is written at once. */
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

  async create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile> {
    const file = this.#at(name);
    if (await this.#exists(file)) throw vscode.FileSystemError.FileExists(file);
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    try {
      await vscode.workspace.fs.writeFile(file, content);
    } catch (error) {
      await this.remove(name).catch(() => undefined);
      throw error;
    }
    return { name, bytes: content.length };
  }

  async moveIfAbsent(created: CreatedFile, to: string): Promise<boolean> {
    const { name } = created;
    await this.#checkUnchanged(created);
    try {
      await vscode.workspace.fs.rename(this.#at(name), this.#at(to), { overwrite: false });
      return true;
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileExists') return false;
      throw error;
    }
  }

  async replace(created: CreatedFile, name: string, content: FileContent): Promise<boolean> {
    await this.#checkUnchanged(created);
    if (!(await hasFile(this, name, content))) return false;
    await vscode.workspace.fs.rename(this.#at(created.name), this.#at(name), { overwrite: true });
    return true;
  }

  append(name: string, text: string): Promise<void> {
    // Virtual file systems cannot append, so two appends at the same time would lose a line.
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

  async *stream(name: string): AsyncGenerator<Uint8Array> {
    yield await vscode.workspace.fs.readFile(this.#at(name));
  }

  async size(name: string): Promise<number | undefined> {
    return (await this.#stat(this.#at(name)))?.size;
  }

  async list(): Promise<readonly string[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#location);
      return entries.filter(([, type]) => type === vscode.FileType.File).map(([name]) => name);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #checkUnchanged({ name, bytes }: CreatedFile): Promise<void> {
    const size = await this.size(name);
    // Some file systems report no size.
    if (size === bytes || size === 0) return;
    const sentence = vscode.l10n.t(
      'The result was not saved, because another program changed {0} before it got its final name.',
      this.uriOf(name),
    );
    throw new MediaError('save', sentence);
  }

  /** Appends lines, and again if another window has meanwhile written the file without them. */
  async #append(file: vscode.Uri, text: string): Promise<void> {
    const lines = Buffer.from(text === '' ? '' : `\n${text}`);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = (await this.#readBytes(file)) ?? new Uint8Array();
      const isCut = before.length > 0 && before.at(-1) !== lineBreak;
      await vscode.workspace.fs.writeFile(file, Buffer.concat([before, isCut ? lines : Buffer.from(text)]));
      const after = (await this.#readBytes(file)) ?? new Uint8Array();
      // The same line may stand in the file already, such as that of a star.
      if (text === '' || countOf(lines, after) > countOf(lines, before)) return;
    }
    throw new Error(vscode.l10n.t('other programs write to the file at the same time'));
  }

  async #exists(file: vscode.Uri): Promise<boolean> {
    return (await this.#stat(file)) !== undefined;
  }

  async #stat(file: vscode.Uri): Promise<vscode.FileStat | undefined> {
    try {
      return await vscode.workspace.fs.stat(file);
    } catch (error) {
      if (isMissing(error)) return undefined;
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

/** Returns how often lines stand in a file. */
function countOf(lines: Buffer, content: Uint8Array): number {
  const all = Buffer.concat([Buffer.of(lineBreak), content]);
  let count = 0;
  for (let at = all.indexOf(lines); at >= 0; at = all.indexOf(lines, at + 1)) count++;
  return count;
}
