import * as vscode from 'vscode';

type Entry = Uint8Array | 'folder';

/** A virtual workspace in memory: the minimum of a FileSystemProvider. */
export class MemoryFiles implements vscode.FileSystemProvider {
  readonly #entries = new Map<string, Entry>([['/', 'folder']]);
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  /** All files as text, by path. */
  get files(): Readonly<Record<string, string>> {
    const files = [...this.#entries].flatMap(([path, entry]) =>
      entry === 'folder' ? [] : [[path, Buffer.from(entry).toString()] as const],
    );
    return Object.fromEntries(files);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const entry = this.#at(uri);
    const type = entry === 'folder' ? vscode.FileType.Directory : vscode.FileType.File;
    return { type, ctime: 0, mtime: 0, size: entry === 'folder' ? 0 : entry.length };
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    const folder = uri.path === '/' ? '/' : `${uri.path}/`;
    const inside = [...this.#entries.keys()].filter((path) => path.startsWith(folder) && path !== '/');
    const names = inside.map((path) => path.slice(folder.length)).filter((name) => !name.includes('/'));
    return names.map((name) => [name, this.stat(vscode.Uri.joinPath(uri, name)).type]);
  }

  createDirectory(uri: vscode.Uri): void {
    this.#requireParent(uri);
    if (this.#entries.has(uri.path)) throw vscode.FileSystemError.FileExists(uri);
    this.#entries.set(uri.path, 'folder');
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const entry = this.#at(uri);
    if (entry === 'folder') throw vscode.FileSystemError.FileIsADirectory(uri);
    return entry;
  }

  writeFile(
    uri: vscode.Uri,
    content: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): void {
    this.#requireParent(uri);
    const exists = this.#entries.has(uri.path);
    if (!exists && !options.create) throw vscode.FileSystemError.FileNotFound(uri);
    if (exists && !options.overwrite) throw vscode.FileSystemError.FileExists(uri);
    this.#entries.set(uri.path, content.slice());
  }

  delete(uri: vscode.Uri): void {
    this.#at(uri);
    this.#entries.delete(uri.path);
  }

  rename(from: vscode.Uri, to: vscode.Uri, { overwrite }: { readonly overwrite: boolean }): void {
    const entry = this.#at(from);
    this.#requireParent(to);
    if (!overwrite && this.#entries.has(to.path)) throw vscode.FileSystemError.FileExists(to);
    this.#entries.set(to.path, entry);
    this.#entries.delete(from.path);
  }

  #at(uri: vscode.Uri): Entry {
    const entry = this.#entries.get(uri.path);
    if (entry === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return entry;
  }

  #requireParent(uri: vscode.Uri): void {
    if (this.#entries.get(vscode.Uri.joinPath(uri, '..').path) !== 'folder')
      throw vscode.FileSystemError.FileNotFound(uri);
  }
}
