import { posix } from 'node:path';
import * as vscode from 'vscode';
import { findOffset, movePosition } from '../documents/movePosition.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Caller } from './Caller.ts';
import { notify } from './notify.ts';

/**
 * Returns the active editor. While the active tab shows no document, such as an image or the gallery, returns the only
 * visible text editor; with several, it is unclear which one is meant.
 *
 * @returns at most one of the two
 */
export function editorInUse(): {
  readonly editor?: vscode.TextEditor;
  /**
   * The document of an editor that is not a text editor and exposes no cursor, such as VS Code's own Markdown editor.
   */
  readonly otherEditor?: vscode.Uri;
} {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor && isDocument(activeTextEditor)) return { editor: activeTextEditor };
  const otherEditor = documentIn(tabGroups.activeTabGroup);
  if (otherEditor) return { otherEditor };
  const [editor, ...others] = visibleTextEditors.filter(isDocument);
  const isOnly = others.length === 0 && tabGroups.all.every((group) => documentIn(group) === undefined);
  return editor && isOnly ? { editor } : {};
}

/**
 * Returns the text editor to insert into. A person who has none in front is brought to where they wrote last.
 *
 * @param places where the person wrote, the last one first
 * @param title of the question which document is meant
 * @returns undefined when the person dismissed a question, or after offering what helps
 * @throws MediaError `invalidInput` when a program calls and there is no text editor
 */
export async function textEditorFor(
  caller: Caller,
  places: readonly DocumentAnchor[],
  title: string,
): Promise<vscode.TextEditor | undefined> {
  if (caller === 'person') return editorToWriteIn(places, title);
  const { editor, otherEditor } = editorInUse();
  if (editor) return editor;
  const sentence = otherEditor
    ? noCursorSentence(otherEditor)
    : vscode.l10n.t('Open the document to insert into first.');
  throw new MediaError('invalidInput', sentence);
}

/**
 * Returns the editor that the person works in; else brings the document to front in which they wrote last, while its tab
 * is open; else asks which of the open documents is meant.
 *
 * @param places where the person wrote, the last one first
 * @param title of the question
 * @param except documents that are not meant
 * @returns undefined after telling the person why, or when they dismissed the question
 */
export async function editorToWriteIn(
  places: readonly DocumentAnchor[],
  title: string,
  except: readonly vscode.Uri[] = [],
): Promise<vscode.TextEditor | undefined> {
  const isMeant = (uri: vscode.Uri) => !except.some((one) => one.toString() === uri.toString());
  const tabs = textTabs().filter(({ uri }) => isMeant(uri));
  const tabOf = (uri: vscode.Uri, viewColumn: vscode.ViewColumn | undefined) => {
    const all = tabs.filter((tab) => tab.uri.toString() === uri.toString());
    return all.find((tab) => tab.viewColumn === viewColumn) ?? all[0];
  };
  const { editor, otherEditor } = editorInUse();
  const isActive = editor !== undefined && editor === vscode.window.activeTextEditor;
  if (isActive && isMeant(editor.document.uri) && isWritable(editor.document.uri)) return editor;
  if (otherEditor) {
    void offerTextEditor(otherEditor);
    return undefined;
  }
  const place = places.find(({ uri, viewColumn }) => tabOf(uri, viewColumn));
  const found = place ? tabOf(place.uri, place.viewColumn) : editor && tabOf(editor.document.uri, editor.viewColumn);
  return found ? show(found, place) : pickEditor(tabs, title);
}

interface TextTab {
  readonly uri: vscode.Uri;
  readonly viewColumn: vscode.ViewColumn;
}

/** Returns the tabs of documents that can be written to: of a comparison its right side, of a notebook its cells. */
function textTabs(): readonly TextTab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs.flatMap(({ input }) => writableIn(input).map((uri) => ({ uri, viewColumn }))),
  );
}

function writableIn(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputTextDiff) return [input.modified].filter(isWritable);
  if (input instanceof vscode.TabInputText) return [input.uri].filter(isWritable);
  if (!(input instanceof vscode.TabInputNotebook) || !isWritable(input.uri)) return [];
  const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.toString() === input.uri.toString());
  return notebook?.getCells().map(({ document }) => document.uri) ?? [];
}

/** VS Code drops an edit of a read-only document, such as an earlier version of a file, without a word. */
function isWritable(uri: vscode.Uri): boolean {
  if (uri.scheme === 'untitled' || isCell(uri)) return true;
  return vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true;
}

/**
 * Brings the tab of a document to front.
 *
 * @param place where the person wrote in it; an editor that is visible in the same group has its own selection
 */
async function show({ uri, viewColumn }: TextTab, place: DocumentAnchor | undefined): Promise<vscode.TextEditor> {
  const visible = vscode.window.visibleTextEditors.find(
    (one) => one.document.uri.toString() === uri.toString() && one.viewColumn === viewColumn,
  );
  const isOwn = visible !== undefined && place?.viewColumn === viewColumn;
  const options = { viewColumn, ...(place && !isOwn ? { selection: place.range } : {}) };
  // A cell has an editor only once its notebook shows it.
  if (isCell(uri)) await vscode.commands.executeCommand('vscode.open', uri, options);
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), options);
}

async function pickEditor(all: readonly TextTab[], title: string): Promise<vscode.TextEditor | undefined> {
  // Cells have no names to choose by.
  const tabs = all.filter(({ uri }) => !isCell(uri));
  if (tabs.length === 0) {
    const open = vscode.l10n.t('Open a File…');
    const sentence = vscode.l10n.t('No document is open to insert into.');
    if ((await notify.information(sentence, open)) === open)
      await vscode.commands.executeCommand('workbench.action.quickOpen');
    return undefined;
  }
  const items = tabs.map((tab) => ({
    label: posix.basename(tab.uri.path),
    description: vscode.workspace.asRelativePath(tab.uri),
    tab,
  }));
  const placeHolder = vscode.l10n.t('Choose the document to insert into');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
  return chosen && show(chosen.tab, undefined);
}

/** Explains that an editor does not report its cursor, and reopens its document as text if the person wants to. */
async function offerTextEditor(uri: vscode.Uri): Promise<void> {
  const reopen = vscode.l10n.t('Reopen as Text');
  if ((await notify.information(noCursorSentence(uri), reopen)) !== reopen) return;
  await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
}

function noCursorSentence(uri: vscode.Uri): string {
  const name = vscode.workspace.asRelativePath(uri);
  return vscode.l10n.t(
    'Nothing was inserted, because the editor that shows {0} does not report its cursor. Reopen the file as text first.',
    name,
  );
}

/** False for output channels, which are text editors too. */
function isDocument({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme !== 'output';
}

/** Returns the document of a group's active tab when a custom editor shows a text document there. */
function documentIn({ activeTab }: vscode.TabGroup): vscode.Uri | undefined {
  const input = activeTab?.input;
  if (!(input instanceof vscode.TabInputCustom)) return undefined;
  const address = input.uri.toString();
  return vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === address) ? input.uri : undefined;
}

/** A range of a document that keeps its place while the document is edited, renamed, closed and reopened. */
export class DocumentAnchor implements vscode.Disposable {
  #uri: vscode.Uri;
  #range: vscode.Range;
  /** The document as it was when it closed. Later changes of its file are not reported. */
  #closed: vscode.TextDocument | undefined;
  readonly #subscriptions: vscode.Disposable;
  /** The group of the editor that it was taken from, if known. Other groups may show other places of the document. */
  readonly viewColumn: vscode.ViewColumn | undefined;

  constructor({ uri }: vscode.TextDocument, range: vscode.Range, viewColumn?: vscode.ViewColumn) {
    this.#uri = uri;
    this.viewColumn = viewColumn;
    this.#range = new vscode.Range(range.start, range.end);
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (this.#isOf(document)) this.#move(contentChanges);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#isOf(document)) this.#closed = document;
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (this.#isOf(document)) this.#findAgain(document);
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => this.#follow(files)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  get uri(): vscode.Uri {
    return this.#uri;
  }

  get range(): vscode.Range {
    return this.#range;
  }

  /** The document; undefined while no tab shows it. */
  get document(): vscode.TextDocument | undefined {
    const document = vscode.workspace.textDocuments.find((one) => this.#isOf(one));
    return document && isShown(document.uri) ? document : undefined;
  }

  #isOf({ uri }: vscode.TextDocument): boolean {
    return uri.toString() === this.#uri.toString();
  }

  #move(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const isCursor = this.#range.isEmpty;
    for (const change of changes) {
      const { start, end } = this.#range;
      // Typing at the ends of a selection does not extend it. Text typed at a cursor ends up behind the cursor.
      const newStart = asPosition(movePosition(start, change, !isCursor));
      this.#range = new vscode.Range(newStart, isCursor ? newStart : asPosition(movePosition(end, change, false)));
    }
  }

  #findAgain(document: vscode.TextDocument): void {
    const old = this.#closed;
    if (!old) return;
    this.#closed = undefined;
    const [before, after] = [old.getText(), document.getText()];
    const find = (position: vscode.Position) => document.positionAt(findOffset(before, after, old.offsetAt(position)));
    this.#range = new vscode.Range(find(this.#range.start), find(this.#range.end));
  }

  #follow(files: vscode.FileRenameEvent['files']): void {
    const moved = movedUri(this.#uri, files);
    if (moved === this.#uri) return;
    this.#uri = moved;
    // VS Code may open the document under its new name before it reports the rename.
    const document = vscode.workspace.textDocuments.find((one) => this.#isOf(one));
    if (document) this.#findAgain(document);
  }
}

/** Returns where a file is after it, or a folder above it, may have been renamed; the same URI if it is where it was. */
export function movedUri(uri: vscode.Uri, files: vscode.FileRenameEvent['files']): vscode.Uri {
  const renamed = files.find(({ oldUri }) => `${uri}/`.startsWith(`${oldUri}/`));
  if (!renamed) return uri;
  return renamed.newUri.with({ path: renamed.newUri.path + uri.path.slice(renamed.oldUri.path.length) });
}

function asPosition({ line, character }: { readonly line: number; readonly character: number }): vscode.Position {
  return new vscode.Position(line, character);
}

/**
 * Whether a tab shows a document. Documents that only extensions hold are open too, but not shown; notebook cells have
 * no tabs of their own and count as shown.
 */
export function isShown(uri: vscode.Uri): boolean {
  if (isCell(uri)) return true;
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => addressIn(input)?.toString() === uri.toString());
}

function isCell({ scheme }: vscode.Uri): boolean {
  return scheme === 'vscode-notebook-cell';
}

function addressIn(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}
