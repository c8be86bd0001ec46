import * as vscode from 'vscode';
import type { JobFacts } from '../../jobs/JobRecord.ts';
import { operations } from '../../operations/operations.ts';

/** A job as a person knows it: what was done, and with which words. */
export function jobTitle({ operation, request }: Pick<JobFacts, 'operation' | 'request'>): string {
  const title = vscode.l10n.t(operations[operation].title);
  const words = 'prompt' in request ? request.prompt : 'input' in request ? request.input : '';
  return words === '' ? title : vscode.l10n.t('{0} “{1}”', title, words.replace(/\s+/g, ' ').slice(0, 80));
}
