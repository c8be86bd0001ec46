import * as vscode from 'vscode';
import { abortSignal } from '../../editor/abortSignal.ts';
import { describeProgress } from '../../editor/describeProgress.ts';
import type { RunOptions } from '../../jobs/JobRunner.ts';

/** Shows a job in a notification that can be cancelled. */
export function withJobProgress<T>(title: string, work: (options: RunOptions) => Promise<T>): Thenable<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (notification, token) => {
    const abort = abortSignal(token);
    let shown = '';
    try {
      return await work({
        signal: abort.signal,
        onNotice: (sentence) => void vscode.window.showWarningMessage(sentence),
        onProgress: (progress) => {
          const message = describeProgress(progress);
          if (message !== shown) notification.report({ message });
          shown = message;
        },
      });
    } finally {
      abort.dispose();
    }
  });
}
