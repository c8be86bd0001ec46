import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { JobFacts } from '../jobs/JobRecord.ts';
import { operations, wordsOf } from '../operations/operations.ts';
import { oneLine } from './oneLine.ts';

type JobSubject = Pick<JobFacts, 'operation' | 'request'>;

/** A job as a person knows it: what was done, and with which words. */
export function jobTitle(job: JobSubject): string {
  const words = jobWords(job);
  return words === '' ? operationTitle(job) : vscode.l10n.t('{0} “{1}”', operationTitle(job), words);
}

export function operationTitle({ operation }: Pick<JobFacts, 'operation'>): string {
  return vscode.l10n.t(operations[operation].title);
}

/** The prompt, the text to speak or the name of the recording, on one line; empty where there is none of these. */
export function jobWords({ request }: JobSubject): string {
  return oneLine(wordsOf(request) ?? ('file' in request ? basename(request.file) : ''));
}
