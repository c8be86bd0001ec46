import * as vscode from 'vscode';
import { section, settingNames } from '../../contributions.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { MissingMedia } from './MissingMedia.ts';

/** The code of the diagnostics. */
export const missingCode = 'missing-media';

/** Delay after the last change, in milliseconds. */
const pause = 500;

/** Marks missing media in open documents. Reads nothing while the person types. */
export class MissingMarks implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'missingMedia'>;
  readonly #media: MissingMedia;
  readonly #marks = vscode.languages.createDiagnosticCollection(`${section}.${settingNames.missingMedia}`);
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: vscode.Disposable;

  constructor(settings: Pick<Settings, 'missingMedia'>, media: MissingMedia, onDidChangeFiles: vscode.Event<void>) {
    this.#settings = settings;
    this.#media = media;
    const all = () => {
      for (const document of vscode.workspace.textDocuments) this.#schedule(document);
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#marks,
      onDidChangeFiles(all),
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(section)) all();
      }),
    );
    all();
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#subscriptions.dispose();
  }

  #schedule(document: vscode.TextDocument): void {
    const address = document.uri.toString();
    clearTimeout(this.#waiting.get(address));
    const timer = setTimeout(() => {
      this.#waiting.delete(address);
      // A failure is retried with the next change.
      void this.#mark(document).catch(() => undefined);
    }, pause);
    this.#waiting.set(address, timer);
  }

  #forget({ uri }: vscode.TextDocument): void {
    clearTimeout(this.#waiting.get(uri.toString()));
    this.#waiting.delete(uri.toString());
    this.#marks.delete(uri);
  }

  async #mark(document: vscode.TextDocument): Promise<void> {
    const { uri, version } = document;
    const kind = vscode.workspace.getWorkspaceFolder(uri) ? this.#settings.missingMedia(uri) : 'off';
    if (kind === 'off') return this.#marks.delete(uri);
    const severity = kind === 'hint' ? vscode.DiagnosticSeverity.Hint : vscode.DiagnosticSeverity.Warning;
    const missing = await this.#media.missingIn(document, await this.#media.referencesIn(document));
    const marks: vscode.Diagnostic[] = [];
    for (const { path, references } of missing) {
      const name = await this.#media.nameIn(document, path);
      for (const { range } of references) {
        const where = new vscode.Range(document.positionAt(range.start), document.positionAt(range.end));
        const mark = new vscode.Diagnostic(where, vscode.l10n.t('{0} does not exist.', name), severity);
        mark.source = 'Unified Media';
        mark.code = missingCode;
        marks.push(mark);
      }
    }
    if (!document.isClosed && document.version === version) this.#marks.set(uri, marks);
  }
}
