import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, posix } from 'node:path';
import { commonEditor, Disposable, Position, Range, Uri } from '../support/editorStub.ts';

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

class TabInput {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}

const noEvent = () => Disposable.from();
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
      ...commonEditor,
      WorkspaceEdit,
      TextEdit: {
        replace: (range: Range, newText: string): TextEdit => ({ range, newText }),
        insert: (at: Position, newText: string): TextEdit => ({ range: new Range(at, at), newText }),
      },
      CancellationTokenSource: class {
        readonly token = { isCancellationRequested: false, onCancellationRequested: noEvent };
      },
      TabInputText: TabInput,
      CodeActionTriggerKind: { Invoke: 1, Automatic: 2 },
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      extensions: { getExtension: () => undefined },
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
