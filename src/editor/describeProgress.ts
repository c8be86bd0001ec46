import * as vscode from 'vscode';
import type { RunProgress } from '../work/JobRun.ts';

/** Describes the progress of a job in a few words. */
export function describeProgress(progress: RunProgress): string {
  switch (progress.stage) {
    case 'preparing':
      return vscode.l10n.t('preparing the recording, {0} %', Math.round(progress.share * 100));
    case 'sending':
      return vscode.l10n.t('sending {0}', amount(progress.bytes, progress.total));
    case 'waiting': {
      const details = [progress.status, progress.progress === undefined ? undefined : `${progress.progress} %`];
      return [vscode.l10n.t('waiting for the service'), ...details.filter(Boolean)].join(', ');
    }
    case 'repeating':
      return vscode.l10n.t('{0} Retrying in {1} s.', progress.reason, Math.ceil(progress.seconds));
    case 'downloading':
      return vscode.l10n.t('downloading {0}', amount(progress.bytes, progress.total));
    case 'saving':
      return vscode.l10n.t('saving {0} of {1}', progress.file, progress.files);
  }
}

/** In steps of a tenth of a megabyte, so that not every chunk changes the text. */
function amount(bytes: number, total: number | undefined): string {
  const megabytes = (value: number) => (value / 1_000_000).toFixed(1);
  return total === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} / ${megabytes(total)} MB`;
}
