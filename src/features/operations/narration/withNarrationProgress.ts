import * as vscode from 'vscode';
import { abortSignal } from '../../../editor/abortSignal.ts';
import { describeProgress } from '../../../editor/describeProgress.ts';
import { plainText } from '../../../editor/displayText.ts';
import type { RunOptions } from '../../../work/JobRun.ts';

/** Called before each spoken block, with its index and the number of blocks. */
export type OnBlock = (index: number, count: number) => void;

/** Shows in a notification which paragraph is being spoken. The person can cancel it. */
export function withNarrationProgress<T>(work: (options: RunOptions, onBlock: OnBlock) => Promise<T>): Thenable<T> {
  const title = vscode.l10n.t('Narrate Document');
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (notification, token) => {
    const abort = abortSignal(token);
    let block = '';
    let shown = '';
    const report = (message: string, increment = 0): void => {
      if (message !== shown) notification.report({ message, increment });
      shown = message;
    };
    try {
      return await work(
        {
          signal: abort.signal,
          onNotice: (sentence) => void vscode.window.showWarningMessage(plainText(sentence)),
          onProgress: (progress) => report(`${block}: ${plainText(describeProgress(progress))}`),
        },
        (index, count) => {
          block = vscode.l10n.t('paragraph {0} of {1}', index + 1, count);
          report(block, index === 0 ? 0 : 100 / count);
        },
      );
    } finally {
      abort.dispose();
    }
  });
}
