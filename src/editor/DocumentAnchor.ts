import * as vscode from 'vscode';
import { findOffset, movePosition } from '../documents/movePosition.ts';

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
