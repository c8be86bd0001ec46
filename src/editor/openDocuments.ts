import * as vscode from 'vscode';
import { findOffset, movePosition } from '../documents/movePosition.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Caller } from './Caller.ts';
import { notify } from './notify.ts';

/** The editor that the person works in. At most one of the two is set. */
export interface EditorInUse {
  readonly editor?: vscode.TextEditor;
  /**
   * The document of an editor that is not a text editor and exposes no cursor, such as VS Code's own Markdown editor.
   */
  readonly otherEditor?: vscode.Uri;
}

/**
 * Returns the active editor. While the active tab shows no document, such as an image or the gallery, returns the only
 * visible text editor; with several, it is unclear which one is meant.
 */
export function editorInUse(): EditorInUse {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor && isDocument(activeTextEditor)) return { editor: activeTextEditor };
  const otherEditor = documentIn(tabGroups.activeTabGroup);
  if (otherEditor) return { otherEditor };
  const [editor, ...others] = visibleTextEditors.filter(isDocument);
  const isOnly = others.length === 0 && tabGroups.all.every((group) => documentIn(group) === undefined);
  return editor && isOnly ? { editor } : {};
}

/**
 * Returns the text editor to insert into.
 *
 * @returns undefined after offering the person to reopen the document as text
 * @throws MediaError `invalidInput` when there is no text editor
 */
export function textEditorFor(caller: Caller): vscode.TextEditor | undefined {
  const { editor, otherEditor } = editorInUse();
  if (editor) return editor;
  if (!otherEditor) throw new MediaError('invalidInput', vscode.l10n.t('Open the document to insert into first.'));
  if (caller !== 'person') throw new MediaError('invalidInput', noCursorSentence(otherEditor));
  void offerTextEditor(otherEditor);
  return undefined;
}

/** Explains that an editor does not report its cursor, and reopens its document as text if the person wants to. */
export async function offerTextEditor(uri: vscode.Uri): Promise<void> {
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

  constructor({ uri }: vscode.TextDocument, range: vscode.Range) {
    this.#uri = uri;
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

  #follow(files: readonly { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }[]): void {
    const renamed = files.find(({ oldUri }) => `${this.#uri}/`.startsWith(`${oldUri}/`));
    if (!renamed) return;
    const rest = this.#uri.path.slice(renamed.oldUri.path.length);
    this.#uri = renamed.newUri.with({ path: renamed.newUri.path + rest });
    // VS Code may open the document under its new name before it reports the rename.
    const document = vscode.workspace.textDocuments.find((one) => this.#isOf(one));
    if (document) this.#findAgain(document);
  }
}

function asPosition({ line, character }: { readonly line: number; readonly character: number }): vscode.Position {
  return new vscode.Position(line, character);
}

/**
 * Whether a tab shows a document. Documents that only extensions hold are open too, but not shown; notebook cells have
 * no tabs of their own and count as shown.
 */
export function isShown(uri: vscode.Uri): boolean {
  if (uri.scheme === 'vscode-notebook-cell') return true;
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => addressIn(input)?.toString() === uri.toString());
}

function addressIn(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}
