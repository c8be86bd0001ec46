import * as vscode from 'vscode';
import { abortSignal } from '../../editor/runCommand.ts';
import { notificationText } from '../../foreign/plainText.ts';

/** A notification that can be cancelled. It is not shown before the question, which has a *Cancel* of its own. */
export class ApplyProgress {
  readonly #title: string;
  readonly #cancelled = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #shown: vscode.Progress<{ readonly message: string }> | undefined;

  constructor(title: string) {
    this.#title = notificationText(title);
  }

  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  show(): void {
    const location = vscode.ProgressLocation.Notification;
    void vscode.window.withProgress({ location, title: this.#title, cancellable: true }, async (shown, token) => {
      this.#shown = shown;
      const abort = abortSignal(token);
      abort.signal.addEventListener('abort', () => this.#cancelled.abort());
      await this.#ended.promise;
      abort.dispose();
    });
  }

  report(message: string): void {
    this.#shown?.report({ message: notificationText(message) });
  }

  end(): void {
    this.#ended.resolve();
  }
}
