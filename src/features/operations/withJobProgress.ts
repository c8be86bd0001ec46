import * as vscode from 'vscode';
import { viewIds } from '../../contributions.ts';
import { abortSignal } from '../../editor/abortSignal.ts';
import { describeProgress } from '../../editor/describeProgress.ts';
import { plainText } from '../../editor/displayText.ts';
import type { Caller } from '../../editor/runCommand.ts';
import type { RunOptions } from '../../work/JobRun.ts';

/** Shows a job in a notification that can be cancelled. A view shows the job itself, so it gets only a progress bar. */
export function withJobProgress<T>(
  title: string,
  caller: Caller,
  work: (options: RunOptions) => Promise<T>,
): Thenable<T> {
  const location = caller === 'view' ? { viewId: viewIds.create } : vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (notification, token) => {
    const abort = abortSignal(token);
    let shown = '';
    try {
      return await work({
        signal: abort.signal,
        isAttended: caller !== 'program',
        onNotice: (sentence) => void vscode.window.showWarningMessage(plainText(sentence)),
        onProgress: (progress) => {
          const message = plainText(describeProgress(progress));
          if (message !== shown) notification.report({ message });
          shown = message;
        },
      });
    } finally {
      abort.dispose();
    }
  });
}
