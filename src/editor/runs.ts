import { basename } from 'node:path';
import type { CancellationToken, Disposable, LogOutputChannel } from 'vscode';
import * as vscode from 'vscode';
import { shortLine } from '../foreign/plainText.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations, wordsOf } from '../operations/operations.ts';
import type { DocumentToken, JobFacts, PlaceReference } from '../work/Job.ts';
import type { RunProgress } from '../work/JobRun.ts';
import type { Settings } from './Settings.ts';
import { errorForCaller, logError, showError } from './showError.ts';
import { openUris } from './workspaceFiles.ts';

/**
 * Who gets the progress and failures of a command: a person in notifications, a program in the command's result, a view
 * in the view itself.
 */
export type Caller = 'person' | 'program' | 'view';

/**
 * Runs the work of a command and reports its failure to the caller.
 *
 * @returns also undefined when a person was shown the failure
 * @throws MediaError for a program and a view; for a program its message ends with its kind
 */
export async function runCommand<T>(
  caller: Caller,
  { log, settings }: { readonly log: LogOutputChannel; readonly settings: Settings },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    logError(error, log);
    if (caller === 'view') throw error;
    if (error instanceof MediaError && settings.openAfterSave) await tryToShow(log, openUris(error.saved));
    if (caller === 'program') throw errorForCaller(error);
    // The command ends here; the notification may stay open.
    void tryToShow(log, showError(error));
    return undefined;
  }
}

/** Waits until something is shown. A failure to show it is only logged, and does not fail the command. */
export async function tryToShow(log: LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}

/** A request, and the place for its result. */
export interface PlacedRequest {
  readonly operation: OperationId;
  /** As on the wire; missing fields are asked for. */
  readonly fields: unknown;
  readonly place: PlaceReference;
  /** The document that a transcript is for. */
  readonly into?: DocumentToken;
}

export interface PlacedOptions {
  /** Title of the progress notification. */
  readonly title: string;
  readonly caller: Caller;
  /** Whether a person is asked for the model even when one is known. */
  readonly asksModel: boolean;
  /** Title of the question that a person is asked whatever is sent; without it only above the limits of `confirmAbove`. */
  readonly question?: string;
  /** Cancels all requests, as far as they can be cancelled. */
  readonly signal?: AbortSignal;
  /** Called for each job before sending. If it throws, nothing of the job is sent. */
  beforeSending?(): void;
}

export type PlacedResult = PromiseSettledResult<readonly Asset[]>;

/**
 * Returns the assets of all results.
 *
 * @throws the first failure
 */
export function assetsOf(results: readonly PlacedResult[]): readonly Asset[] {
  return results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Runs requests whose results belong to given places. */
export interface PlacedRuns {
  /**
   * Runs requests in parallel, each for its own place. Saved files are neither opened nor announced.
   *
   * @returns the outcome of each, in their order; undefined when the person dismissed a question
   * @throws MediaError when nothing was sent
   */
  runPlaced(requests: readonly PlacedRequest[], options: PlacedOptions): Promise<readonly PlacedResult[] | undefined>;
}

/** Adapts a cancellation token to an AbortSignal; dispose it when the work is over. */
export function abortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => subscription.dispose() };
}

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
  return shortLine(wordsOf(request) ?? ('file' in request ? basename(request.file) : ''), 80);
}

/** Describes the progress of a job in a few words. */
export function describeProgress(progress: RunProgress): string {
  switch (progress.stage) {
    case 'preparing':
      return vscode.l10n.t('preparing the recording, {0} %', Math.round(progress.share * 100));
    case 'sending':
      return vscode.l10n.t('sending {0}', amount(progress.bytes, progress.total));
    case 'waiting': {
      const details = [progress.status, progress.progress === undefined ? undefined : `${progress.progress} %`];
      return [vscode.l10n.t('waiting for the service'), ...details.filter(Boolean)].join(', ');
    }
    case 'repeating':
      return vscode.l10n.t('{0} Retrying in {1} s.', progress.reason, Math.ceil(progress.seconds));
    case 'downloading':
      return vscode.l10n.t('downloading {0}', amount(progress.bytes, progress.total));
    case 'saving':
      return vscode.l10n.t('saving {0} of {1}', progress.file, progress.files);
  }
}

/** In steps of a tenth of a megabyte, so that not every chunk changes the text. */
function amount(bytes: number, total: number | undefined): string {
  const megabytes = (value: number) => (value / 1_000_000).toFixed(1);
  return total === undefined ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} / ${megabytes(total)} MB`;
}

/** Length of each unit in seconds, largest first. */
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Shared, because lists format thousands of dates. */
const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });

/** Returns the time since a moment, such as "3 hours ago". */
export function ageOf(createdAt: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000);
  const [unit, length] =
    units.find(([, unitLength]) => seconds >= unitLength) ?? (['second', Number.POSITIVE_INFINITY] as const);
  return format.format(-Math.floor(seconds / length) || 0, unit);
}
