import * as vscode from 'vscode';
import { abortSignal } from '../../editor/abortSignal.ts';
import type { RunOptions } from '../../jobs/JobRunner.ts';
import type { JobProgress } from '../../jobs/saveResults.ts';

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
          const message = describe(progress);
          if (message !== shown) notification.report({ message });
          shown = message;
        },
      });
    } finally {
      abort.dispose();
    }
  });
}

function describe(progress: JobProgress): string {
  switch (progress.stage) {
    case 'sending':
      return vscode.l10n.t('sending {0}', amount(progress.bytes, progress.total));
    case 'waiting': {
      const told = [progress.status, progress.progress === undefined ? undefined : `${progress.progress} %`];
      return [vscode.l10n.t('waiting for the service'), ...told.filter(Boolean)].join(', ');
    }
    case 'repeating':
      return vscode.l10n.t('{0} Next try in {1} s.', progress.reason, Math.ceil(progress.seconds));
    case 'downloading':
      return vscode.l10n.t('downloading {0}', amount(progress.bytes, progress.total));
    case 'saving':
      return vscode.l10n.t('saving {0} of {1}', progress.file, progress.files);
  }
}

/** In steps of a tenth of a megabyte, so that not every chunk is a change. */
function amount(bytes: number, total: number | undefined): string {
  const megabytes = (value: number) => (value / 1_000_000).toFixed(1);
  return total === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} / ${megabytes(total)} MB`;
}
