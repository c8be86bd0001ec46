import * as vscode from 'vscode';
import { operationTitle } from '../../editor/jobTitle.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Job } from '../../work/Job.ts';
import { stateOf } from './JobItem.ts';

/** Describes what went wrong with a job, for the person or the service operator. Contains no key and no prompt. */
export function jobReport(job: Job): string {
  const { error } = job;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    [vscode.l10n.t('Operation'), operationTitle(job)],
    [vscode.l10n.t('Model'), job.request.model],
    [vscode.l10n.t('Service'), job.sandbox ? vscode.l10n.t('sandbox') : undefined],
    [vscode.l10n.t('Requested'), job.createdAt],
    [vscode.l10n.t('State'), stateOf(job)],
    [vscode.l10n.t('Kind'), error?.kind],
    [vscode.l10n.t('Status'), error?.status],
    [vscode.l10n.t('Request ID'), error?.requestId],
    [vscode.l10n.t('Job'), job.id],
  ];
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const notes = [
    error?.mayBeBilled ? vscode.l10n.t('The service may bill this request.') : undefined,
    job.hasAnswer ? vscode.l10n.t('The answer is stored. Download Again saves it, at no cost.') : undefined,
  ].filter((note) => note !== undefined);
  return [error?.message ?? vscode.l10n.t('Nothing went wrong.'), ...notes, '', ...lines, ''].join('\n');
}

/** Opens the report of a job as a read-only document. */
export async function showJobReport(argument: unknown, scheme: string): Promise<void> {
  const isJob = typeof argument === 'object' && argument !== null && 'jobId' in argument;
  if (!isJob || typeof argument.jobId !== 'string') {
    throw new MediaError('invalidInput', vscode.l10n.t('Show Error needs the ID of a job (jobId).'), {
      field: 'jobId',
    });
  }
  const title = vscode.l10n.t('Job Error');
  const uri = vscode.Uri.from({ scheme, path: `/${title}`, query: argument.jobId });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
