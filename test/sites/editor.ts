import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The part of a URI that references need: files only. */
class Uri {
  readonly scheme = 'file';
  readonly authority = '';
  readonly query = '';
  readonly fragment = '';
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static file(path: string): Uri {
    return Uri.parse(pathToFileURL(path).href);
  }

  static parse(address: string): Uri {
    return new Uri(decodeURIComponent(new URL(address).pathname));
  }

  static joinPath(uri: Uri, ...names: readonly string[]): Uri {
    return new Uri(posix.join(uri.path, ...names));
  }

  get fsPath(): string {
    return fileURLToPath(this.toString());
  }

  with({ path = this.path }: { readonly path?: string }): Uri {
    return new Uri(path);
  }

  toString(): string {
    return `file://${this.path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...numbers: readonly [Position, Position] | readonly [number, number, number, number]) {
    if (numbers.length === 2) [this.start, this.end] = numbers;
    else [this.start, this.end] = [new Position(numbers[0], numbers[1]), new Position(numbers[2], numbers[3])];
  }

  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}

/** Ids of languages that VS Code knows by itself. It takes all other files for plain text. */
const languageIds: Readonly<Record<string, string>> = {
  '.md': 'markdown',
  '.html': 'html',
  '.css': 'css',
  '.scss': 'scss',
  '.js': 'javascript',
  '.jsx': 'javascriptreact',
  '.ts': 'typescript',
  '.tsx': 'typescriptreact',
  '.tex': 'latex',
  '.rst': 'restructuredtext',
};

/** A text document whose file is written with each edit. */
class Document {
  readonly uri: Uri;
  readonly isClosed = false;
  readonly languageId: string;
  version = 1;
  #text: string;

  constructor(uri: Uri) {
    this.uri = uri;
    this.languageId = languageIds[extname(uri.path)] ?? 'plaintext';
    this.#text = readFileSync(uri.fsPath, 'utf8');
  }

  getText(range?: Range): string {
    return range ? this.#text.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.#text;
  }

  offsetAt({ line, character }: Position): number {
    const before = this.#text.split('\n').slice(0, line);
    return before.reduce((sum, { length }) => sum + length + 1, character);
  }

  positionAt(offset: number): Position {
    const lines = this.#text.slice(0, offset).split('\n');
    return new Position(lines.length - 1, lines.at(-1)?.length ?? 0);
  }

  get lineCount(): number {
    return this.#text.split('\n').length;
  }

  lineAt(line: number): { readonly text: string; readonly isEmptyOrWhitespace: boolean } {
    const text = this.#text.split('\n')[line] ?? '';
    return { text, isEmptyOrWhitespace: text.trim() === '' };
  }

  replace(edits: readonly TextEdit[]): void {
    const changes = edits.map(({ range: { start, end }, newText }) => ({
      start: this.offsetAt(start),
      end: this.offsetAt(end),
      newText,
    }));
    for (const { start, end, newText } of changes.sort((a, b) => b.start - a.start))
      this.#text = this.#text.slice(0, start) + newText + this.#text.slice(end);
    this.version++;
    writeFileSync(this.uri.fsPath, this.#text);
  }
}

interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

class WorkspaceEdit {
  readonly edits = new Map<string, readonly TextEdit[]>();
  readonly renames: (readonly [Uri, Uri])[] = [];

  replace(uri: Uri, range: Range, newText: string): void {
    this.set(uri, [...(this.edits.get(uri.path) ?? []), { range, newText }]);
  }

  set(uri: Uri, edits: readonly TextEdit[]): void {
    this.edits.set(uri.path, edits);
  }

  renameFile(from: Uri, to: Uri): void {
    this.renames.push([from, to]);
  }
}

class Kind {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  append(...names: readonly string[]): Kind {
    return new Kind([this.value, ...names].join('.'));
  }

  intersects({ value }: Kind): boolean {
    return value.startsWith(this.value) || this.value.startsWith(value);
  }
}

class TabInput {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}

class Disposable {
  static from(): Disposable {
    return new Disposable();
  }

  dispose(): void {
    // Nothing is held.
  }
}

const noEvent = () => new Disposable();
const nothing = async () => undefined;

/**
 * A folder opened in the part of the editor's API that references, quick fixes and warnings need. It answers no
 * question and shows nothing; the integration tests run the real editor.
 */
export class FolderEditor {
  /** Warnings and messages that a person would have seen. */
  readonly messages: string[] = [];
  #folder: { readonly uri: Uri; readonly name: string; readonly index: number } | undefined;
  readonly #documents = new Map<string, Document>();

  /** Opens a folder. Documents of the last one are closed. */
  open(folder: string): void {
    this.#folder = { uri: Uri.file(folder), name: posix.basename(folder), index: 0 };
    this.#documents.clear();
    this.messages.length = 0;
  }

  /** What `import * as vscode` gets. */
  get api(): Readonly<Record<string, unknown>> {
    return {
      Uri,
      Position,
      Range,
      WorkspaceEdit,
      TextEdit: {
        replace: (range: Range, newText: string): TextEdit => ({ range, newText }),
        insert: (at: Position, newText: string): TextEdit => ({ range: new Range(at, at), newText }),
      },
      Disposable,
      RelativePattern: class {},
      EventEmitter: class {
        readonly event = noEvent;
        fire = noEvent;
        dispose = noEvent;
      },
      CancellationTokenSource: class {
        readonly token = { isCancellationRequested: false, onCancellationRequested: noEvent };
      },
      TabInputText: TabInput,
      TabInputTextDiff: class {},
      TabInputCustom: class {},
      TabInputNotebook: class {},
      DocumentDropOrPasteEditKind: { Empty: new Kind('') },
      CodeActionKind: { QuickFix: new Kind('quickfix') },
      CodeActionTriggerKind: { Invoke: 1, Automatic: 2 },
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      FileType: { File: 1, Directory: 2 },
      ProgressLocation: {},
      extensions: { getExtension: () => undefined },
      env: { language: 'en' },
      l10n: {
        t: (text: string, ...values: readonly unknown[]) => text.replace(/\{(\d)\}/g, (_, n) => String(values[n])),
      },
      commands: { executeCommand: nothing },
      window: this.#window(),
      workspace: this.#workspace(),
    };
  }

  #window() {
    const show = async (message: string) => void this.messages.push(message);
    const tabs = () => [...this.#documents.values()].map(({ uri }) => ({ input: new TabInput(uri) }));
    return {
      showInformationMessage: show,
      showWarningMessage: show,
      showErrorMessage: show,
      showInputBox: async () => 'A red fox',
      setStatusBarMessage: noEvent,
      createOutputChannel: () => ({ info: noEvent, warn: noEvent, error: noEvent }),
      visibleTextEditors: [],
      tabGroups: {
        get all() {
          return [{ tabs: tabs() }];
        },
        activeTabGroup: {},
      },
      onDidChangeVisibleTextEditors: noEvent,
    };
  }

  #workspace() {
    const folderOf = ({ path }: Uri) => (path.startsWith(`${this.#folder?.uri.path}/`) ? this.#folder : undefined);
    const documents = this.#documents;
    const folders = () => (this.#folder ? [this.#folder] : []);
    const relative = (uri: Uri) => posix.relative(this.#folder?.uri.path ?? '/', uri.path);
    return {
      get workspaceFolders() {
        return folders();
      },
      get textDocuments() {
        return [...documents.values()];
      },
      getWorkspaceFolder: folderOf,
      asRelativePath: (file: Uri | string) => (file instanceof Uri ? relative(file) : file),
      createFileSystemWatcher: () => ({
        onDidChange: noEvent,
        onDidCreate: noEvent,
        onDidDelete: noEvent,
        dispose: noEvent,
      }),
      getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
      // Each file of a test has its own name, so there is never another one of that name.
      findFiles: async () => [],
      // Tests replace some of its functions.
      fs: { ...fileSystem },
      openTextDocument: async (uri: Uri) => {
        const document = documents.get(uri.path) ?? new Document(uri);
        documents.set(uri.path, document);
        return document;
      },
      applyEdit: async ({ edits, renames }: WorkspaceEdit) => {
        for (const [from, to] of renames) {
          mkdirSync(dirname(to.fsPath), { recursive: true });
          renameSync(from.fsPath, to.fsPath);
        }
        for (const [path, changes] of edits) documents.get(path)?.replace(changes);
        return true;
      },
      onDidOpenTextDocument: noEvent,
      onDidChangeTextDocument: noEvent,
      onDidCloseTextDocument: noEvent,
      onDidChangeConfiguration: noEvent,
      onDidChangeWorkspaceFolders: noEvent,
      onDidRenameFiles: noEvent,
    };
  }
}

const fileSystem = {
  readDirectory: async ({ fsPath }: Uri) =>
    existsSync(fsPath)
      ? readdirSync(fsPath, { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory() ? 2 : 1])
      : [],
  readFile: async ({ fsPath }: Uri) => new Uint8Array(readFileSync(fsPath)),
  stat: async ({ fsPath }: Uri) => ({ type: statSync(fsPath).isDirectory() ? 2 : 1, size: statSync(fsPath).size }),
};
