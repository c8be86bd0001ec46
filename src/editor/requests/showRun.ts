import { basename } from 'node:path';
import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { notificationText, shortLine } from '../../foreign/plainText.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { describeBytes } from '../../operations/describeBytes.ts';
import type { TrackFacts } from '../../sound/readRecording.ts';
import { describeTrack } from '../../wholes/describeTrack.ts';
import type { CutQuestion } from '../../wholes/transcribeRecording.ts';
import type { RunOptions } from '../../work/Attempt.ts';
import type { Job } from '../../work/Job.ts';
import type { JobInput } from '../../work/JobRunner.ts';
import { errorOf } from '../../work/jobErrors.ts';
import { maySend, type SpendingSettings } from '../askAbout.ts';
import { focusPage } from '../askInDialog.ts';
import { type Caller, Click } from '../Caller.ts';
import { run } from '../commands.ts';
import { deliverTranscript } from '../deliverTranscript.ts';
import { describeProgress, jobTitle } from '../describeJob.ts';
import { notify } from '../notify.ts';
import { offerToOpen, savedSentence } from '../offerSaved.ts';
import { abortSignal, tryToShow } from '../runCommand.ts';
import { showError } from '../showError.ts';
import { openUris } from '../workspaceFiles.ts';
import type { RunParts } from './requests.ts';

/** Shows a job in a notification that can be cancelled. A view shows the job itself, so it gets only a progress bar. */
export function withJobProgress<T>(
  title: string,
  caller: Caller,
  work: (options: RunOptions, report: (message: string, increment?: number) => void) => Promise<T>,
): Thenable<T> {
  const location = caller === 'view' ? { viewId: viewIds.create } : vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (notification, token) => {
    const abort = abortSignal(token);
    let shown = '';
    const report = (message: string, increment = 0): void => {
      if (message !== shown) notification.report({ message, increment });
      shown = message;
    };
    const options: RunOptions = {
      signal: abort.signal,
      isAttended: caller !== 'program',
      onNotice: (sentence) => void notify.warning(sentence),
      onProgress: (progress) => report(notificationText(describeProgress(progress))),
    };
    try {
      // What a job asks later does not give the focus to a view that the person may have left.
      return await focusPage.run(() => undefined, work, options, report);
    } finally {
      abort.dispose();
    }
  });
}

/** How long a message stays in the status bar, in milliseconds. */
const shownFor = 20_000;

/**
 * Opens what was saved, or reports it when the settings say not to open it. Of several transcripts the first is opened,
 * and all are named. A view shows what was saved itself.
 */
export async function showSaved(
  assets: readonly Asset[],
  caller: Caller,
  { settings, jobs, log }: Pick<RunParts, 'settings' | 'jobs' | 'log'>,
): Promise<void> {
  if (caller === 'view') return;
  const uris = assets.map(({ uri }) => uri);
  const ids = [...new Set(assets.map(({ jobId }) => jobId))];
  const usages = ids.map((id) => jobs.get(id)?.usage).filter((usage) => usage !== undefined);
  if (!settings.get('openAfterSave')) {
    if (caller === 'person' && vscode.window.state.focused) void tryToShow(log, offerToOpen(uris, usages));
    return;
  }
  const isList = assets.length > 1 && assets.every(({ kind }) => kind === 'transcripts');
  await tryToShow(log, openUris(isList ? uris.slice(0, 1) : uris));
  if (isList && caller === 'person') {
    void tryToShow(log, offerToOpen(uris, usages));
    return;
  }
  // Opened files need no notification, except for what they cost.
  if (caller === 'person' && usages.length > 0) {
    vscode.window.setStatusBarMessage(savedSentence(uris, usages), shownFor);
  }
}

/** Reports that a part of a long text or recording was stored, and how to get the rest. */
export async function showPartKept(job: Job): Promise<void> {
  const again = vscode.l10n.t('Run Again');
  const title = jobTitle(job);
  const sentence =
    job.operation === 'speak'
      ? vscode.l10n.t('{0}: one part was spoken and stored. Run Again speaks the rest and joins the parts.', title)
      : vscode.l10n.t('{0}: the transcript of one part was stored. Run Again transcribes the rest.', title);
  const chosen = await notify.information(sentence, again);
  if (chosen === again) await run(commandIds.runAgain, Click.on({ jobId: job.id }));
}

/** Asks whether a recording that the service refused as too large may be sent in parts. */
export async function mayCutRecording(
  input: JobInput,
  { bytes, parts, partBytes, mayBeBilled }: CutQuestion,
  settings: SpendingSettings,
): Promise<boolean> {
  const name = 'file' in input.request ? shortLine(basename(input.request.file), 80) : '';
  const send = vscode.l10n.t('Send in {0} Parts', parts);
  const title = vscode.l10n.t('The service refused {0} as too large. Send it in {1} parts?', name, parts);
  const note = vscode.l10n.t(
    'The recording is {0}. It will be cut at pauses into parts of at most {1}. To split large recordings without being asked, set “transcript.maxMegabytes”.',
    describeBytes(bytes, vscode.env.language),
    describeBytes(partBytes, vscode.env.language),
  );
  const billing = mayBeBilled
    ? vscode.l10n.t('The service may bill each part as a separate request, and the refused request, too.')
    : vscode.l10n.t('The service may bill each part as a separate request.');
  return (await maySend({ title, billing, note, requests: [input], send }, settings)) !== undefined;
}

/** Asks which sound track of a recording to send. @returns its number; undefined if the person dismissed the question */
export async function chooseSoundTrack(
  { request }: JobInput,
  tracks: readonly TrackFacts[],
): Promise<number | undefined> {
  const name = 'file' in request ? shortLine(basename(request.file), 80) : '';
  const title = vscode.l10n.t('Which sound track of {0}?', name);
  const items = tracks.map((track) => ({ label: describeTrack(track, vscode.env.language), number: track.number }));
  const placeHolder = vscode.l10n.t('Only the chosen track is sent');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.number;
}

/** Reports the outcome of a job that outlived its window. */
export async function showRecovered(job: Job, parts: RunParts): Promise<void> {
  if (job.error) return showError(errorOf(job.id, job.error, job.hasAnswer), jobTitle(job));
  if (job.whole) return showPartKept(job);
  if (job.into) return deliverTranscript(Object.values(job.assets), job.into, parts);
  await offerToOpen(
    Object.values(job.assets).map(({ uri }) => uri),
    job.usage ? [job.usage] : [],
  );
}
