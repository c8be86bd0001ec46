import * as vscode from 'vscode';
import type { DocumentAnchor } from './openDocuments.ts';

/** Another one is needed when the last document is closed, or is itself what is inserted. */
const maxRemembered = 5;

/** Remembers where the person wrote last, while pictures and views cover the documents. */
export class LastEditors implements vscode.Disposable {
  #active = vscode.window.activeTextEditor;
  #left: readonly DocumentAnchor[] = [];
  readonly #subscription: vscode.Disposable;

  constructor() {
    this.#subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
      const left = this.#active;
      this.#active = editor;
      if (left && left !== editor) void this.#remember(left);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const one of this.#left) one.dispose();
  }

  /** The places where the person wrote, the last one first. Some of their documents may be closed. */
  get places(): readonly DocumentAnchor[] {
    return this.#left;
  }

  async #remember({ document, selection, viewColumn }: vscode.TextEditor): Promise<void> {
    const { DocumentAnchor } = await import('./openDocuments.ts');
    const isSame = ({ uri }: DocumentAnchor) => uri.toString() === document.uri.toString();
    const all = [new DocumentAnchor(document, selection, viewColumn), ...this.#left.filter((one) => !isSame(one))];
    const kept = all.slice(0, maxRemembered);
    for (const one of this.#left) if (!kept.includes(one)) one.dispose();
    this.#left = kept;
  }
}
