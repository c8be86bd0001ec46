import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { jobTitle } from '../../editor/jobTitle.ts';
import { plainText } from '../../editor/plainText.ts';
import type { Job } from '../../jobs/JobList.ts';

/** A part of a long text or recording is no result yet: says how the rest comes about. */
export async function showPartKept(job: Job): Promise<void> {
  const again = vscode.l10n.t('Run Again');
  const title = jobTitle(job);
  const sentence =
    job.operation === 'speak'
      ? vscode.l10n.t('{0}: a spoken part is kept. Run Again speaks what is missing and joins it.', title)
      : vscode.l10n.t('{0}: the transcript of a part is kept. Run Again transcribes what is missing.', title);
  const chosen = await vscode.window.showInformationMessage(plainText(sentence), again);
  if (chosen === again) await vscode.commands.executeCommand(commandIds.runAgain, { jobId: job.id, byPerson: true });
}
