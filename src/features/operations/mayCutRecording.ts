import * as vscode from 'vscode';
import { oneLine } from '../../editor/displayText.ts';
import type { CutQuestion } from '../../work/transcripts/transcribeRecording.ts';

/** Asks whether a recording that the service refused as too large may be sent in parts. */
export async function mayCutRecording(file: string, { bytes, parts, partBytes }: CutQuestion): Promise<boolean> {
  const name = oneLine(file);
  const send = vscode.l10n.t('Send in {0} Parts', parts);
  const question = vscode.l10n.t('The service refused {0} as too large. Send it in {1} parts?', name, parts);
  const detail = vscode.l10n.t(
    'The recording is {0} MB. It will be cut at pauses into parts of at most {1} MB, and the service may bill each part as a separate request. To split large recordings without being asked, set “transcript.maxMegabytes”.',
    megabytes(bytes),
    megabytes(partBytes),
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, send)) === send;
}

/** Rounded to tenths, and at least one tenth. */
function megabytes(bytes: number): string {
  return (Math.max(bytes, 100_000) / 1_000_000).toFixed(1);
}
