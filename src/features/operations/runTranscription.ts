import * as vscode from 'vscode';
import { oneLine } from '../../editor/oneLine.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobRunner } from '../../jobs/JobRunner.ts';
import type { CutQuestion, RecordingInput } from '../../jobs/transcripts/transcribeRecording.ts';
import { transcribeRecording } from '../../jobs/transcripts/transcribeRecording.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationDependencies } from './registerOperations.ts';

/** Transcribes or translates a recording as the settings say. */
export function runTranscription(
  input: RecordingInput,
  options: RunOptions,
  runner: JobRunner,
  { settings, jobs, places, recordingsFolder }: OperationDependencies,
  id?: string,
): Promise<readonly Asset[]> {
  const name = oneLine(input.request.file.split(/[/\\]/).at(-1) ?? '');
  return transcribeRecording(input, {
    ...options,
    id,
    runner,
    jobs,
    place: places.placeAt(input.place),
    recordingsFolder,
    soundOnly: settings.transcriptSoundOnly,
    maxBytes: settings.transcriptMaxBytes,
    mayCut: options.isAttended ? (question) => mayCut(name, question) : undefined,
  });
}

async function mayCut(name: string, { bytes, parts, partBytes }: CutQuestion): Promise<boolean> {
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
