import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { plainText } from '../../editor/displayText.ts';
import { jobTitle } from '../../editor/jobTitle.ts';
import type { Job } from '../../work/Job.ts';

/** Reports that a part of a long text or recording was stored, and how to get the rest. */
export async function showPartKept(job: Job): Promise<void> {
  const again = vscode.l10n.t('Run Again');
  const title = jobTitle(job);
  const sentence =
    job.operation === 'speak'
      ? vscode.l10n.t('{0}: one part was spoken and stored. Run Again speaks the rest and joins the parts.', title)
      : vscode.l10n.t('{0}: the transcript of one part was stored. Run Again transcribes the rest.', title);
  const chosen = await vscode.window.showInformationMessage(plainText(sentence), again);
  if (chosen === again) await vscode.commands.executeCommand(commandIds.runAgain, { jobId: job.id, byPerson: true });
}
