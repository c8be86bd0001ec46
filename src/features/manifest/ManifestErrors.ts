import * as vscode from 'vscode';
import { readManifest } from '../../manifest/readManifest.ts';
import { maxUnaskedLength } from '../../reading/DocumentReader.ts';

/** The source of the marks. */
export const markSource = 'Unified Media';

/** Marks the errors of open manifests, also those that the schema cannot know of. */
export class ManifestErrors implements vscode.Disposable {
  readonly #marks = vscode.languages.createDiagnosticCollection('unifiedMedia.manifest');
  readonly #closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri));

  dispose(): void {
    this.#closing.dispose();
    this.#marks.dispose();
  }

  /** @param declared the setting `fields` */
  mark(document: vscode.TextDocument, declared: unknown): void {
    const text = document.getText();
    const problems = text.length > maxUnaskedLength ? [] : readManifest(text, document.uri.fsPath, declared).problems;
    const marks = problems.map(({ line, sentence }) => {
      const { text: written, firstNonWhitespaceCharacterIndex: start } = document.lineAt(line - 1);
      const range = new vscode.Range(line - 1, start, line - 1, written.trimEnd().length);
      const mark = new vscode.Diagnostic(range, sentence, vscode.DiagnosticSeverity.Error);
      mark.source = markSource;
      return mark;
    });
    this.#marks.set(document.uri, marks);
  }
}
