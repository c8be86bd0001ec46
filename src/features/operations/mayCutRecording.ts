import * as vscode from 'vscode';
import { oneLine } from '../../editor/oneLine.ts';
import type { CutQuestion } from '../../jobs/transcripts/TranscribeOptions.ts';

/** Asks whether a recording that the service refused as too large may be sent in parts. */
export async function mayCutRecording(file: string, { bytes, parts, partBytes }: CutQuestion): Promise<boolean> {
  const name = oneLine(file);
  const send = vscode.l10n.t('Send in {0} Parts', parts);
  const question = vscode.l10n.t('The service refused {0} as too large. Send it in {1} parts?', name, parts);
  const detail = vscode.l10n.t(
    'It has {0} MB; the parts have at most {1} MB and are cut in pauses. Each is a request that the service may bill. The setting “transcript.maxMegabytes” does this from the start.',
    megabytes(bytes),
    megabytes(partBytes),
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, send)) === send;
}

/** At least a tenth. */
function megabytes(bytes: number): string {
  return (Math.max(bytes, 100_000) / 1_000_000).toFixed(1);
}
