import { basename } from 'node:path';
import * as vscode from 'vscode';
import { operations, wordsOf } from '../operations/operations.ts';
import type { JobFacts } from '../work/Job.ts';
import { oneLine } from './displayText.ts';

type JobSubject = Pick<JobFacts, 'operation' | 'request'>;

/** Names a job by its operation and its words. */
export function jobTitle(job: JobSubject): string {
  const words = jobWords(job);
  return words === '' ? operationTitle(job) : vscode.l10n.t('{0} “{1}”', operationTitle(job), words);
}

export function operationTitle({ operation }: Pick<JobFacts, 'operation'>): string {
  return vscode.l10n.t(operations[operation].title);
}

/** Returns the prompt, the text to speak or the recording's name, on one line; empty if there is none of them. */
export function jobWords({ request }: JobSubject): string {
  return oneLine(wordsOf(request) ?? ('file' in request ? basename(request.file) : ''));
}
