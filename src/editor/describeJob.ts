import { basename } from 'node:path';
import * as vscode from 'vscode';
import { shortLine } from '../foreign/plainText.ts';
import { describeBytes } from '../operations/describeBytes.ts';
import { operations, wordsOf } from '../operations/operations.ts';
import type { RunProgress } from '../work/Attempt.ts';
import type { JobFacts } from '../work/Job.ts';

/** Names a job by its operation and its words. */
export function jobTitle(job: Pick<JobFacts, 'operation' | 'request'>): string {
  const words = jobWords(job);
  return words === '' ? operationTitle(job) : vscode.l10n.t('{0} “{1}”', operationTitle(job), words);
}

export function operationTitle({ operation }: Pick<JobFacts, 'operation'>): string {
  return vscode.l10n.t(operations[operation].title);
}

/** Returns the prompt, the text to speak or the recording's name, on one line; empty if there is none of them. */
export function jobWords({ operation, request }: Pick<JobFacts, 'operation' | 'request'>): string {
  return shortLine(wordsOf(operation, request) ?? ('file' in request ? basename(request.file) : ''), 80);
}

/** Describes the progress of a job in a few words. */
export function describeProgress(progress: RunProgress): string {
  switch (progress.stage) {
    case 'preparing':
      return vscode.l10n.t('preparing the recording, {0} %', Math.round(progress.share * 100));
    case 'speaking':
      return vscode.l10n.t('paragraph {0} of {1}', progress.paragraph, progress.paragraphs);
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

function amount(bytes: number, total: number | undefined): string {
  const sizes = total === undefined ? [bytes] : [bytes, total];
  return sizes.map((size) => describeBytes(size, vscode.env.language)).join(' / ');
}

/** Length of each unit in seconds, largest first. */
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Shared, because lists format thousands of dates. */
const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });

/** Returns the time since a moment, such as "3 hours ago". */
export function ageOf(createdAt: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000);
  const [unit, length] =
    units.find(([, unitLength]) => seconds >= unitLength) ?? (['second', Number.POSITIVE_INFINITY] as const);
  return format.format(-Math.floor(seconds / length) || 0, unit);
}
