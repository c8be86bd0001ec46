import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import type { JobAnswer, RawAnswer } from '../service/Answer.ts';
import type { MediaClient } from '../service/MediaClient.ts';
import type { FetchOptions } from './fetchResult.ts';
import type { KeptAnswer } from './Journal.ts';
import type { JobProgress, SavedAnswer } from './saveResults.ts';

interface PollOptions {
  readonly client: Pick<MediaClient, 'read' | 'status' | 'contentUrl'>;
  readonly signal: AbortSignal;
  readonly sleep?: FetchOptions['sleep'];
  onProgress(progress: JobProgress): void;
  /** Called with the answer that is final, before it is understood. */
  onAnswer(answer: KeptAnswer): Promise<void>;
}

const firstPause = 2;
const longestPause = 30;
/** Failures in a row after which the person is asked; the job at the service goes on. */
const mostFailures = 8;

/**
 * What an answer holds. Where the service made a job of the request, it is asked, with growing pauses, until the job is
 * over; asking costs nothing.
 *
 * @throws MediaError `noMedia` when the service answers with jobs and the settings do not say where to ask; others like
 *   the client's `status` and `read`
 */
export async function pollVideo(
  operation: OperationId,
  { raw, videoId }: KeptAnswer,
  options: PollOptions,
): Promise<SavedAnswer> {
  const { client, signal, sleep = (milliseconds) => sleepFor(milliseconds, undefined, { signal }) } = options;
  const first = await client.read(operation, raw, videoId);
  if (first.type !== 'job') return { ...first, id: first.id ?? videoId };
  let failures = 0;
  let seconds = firstPause;
  for (let job: JobAnswer = first; ; seconds = Math.min(longestPause, seconds * 1.5)) {
    options.onProgress({ stage: 'waiting', status: job.status, progress: percentOf(job) });
    await sleep(seconds * 1000, signal).catch((reason: unknown) => {
      throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while waiting for the video.')) : reason;
    });
    let status: RawAnswer;
    try {
      status = await client.status(operation, first, raw.source, options);
      failures = 0;
    } catch (error) {
      failures++;
      if (!isPassing(error) || failures > mostFailures) throw error;
      continue;
    }
    // Accepted, and nothing to tell yet.
    if (status.status === 202 && status.body.length === 0) continue;
    const answer = await client.read(operation, status, first.id);
    if (answer.type === 'job' && !answer.isDone) {
      job = answer;
      continue;
    }
    await options.onAnswer({ raw: status, videoId: first.id });
    const known = { ...answer, id: answer.id ?? first.id };
    if (known.type !== 'job') return known;
    return { ...known, type: 'media', media: [{ url: client.contentUrl(operation, first.id, raw.source) }] };
  }
}

/** What may be gone the next time: the job may not be known everywhere yet, a server may be busy. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof MediaError)) return false;
  const { kind, status } = error;
  if (status === undefined) return kind === 'network' || kind === 'timeout';
  return status >= 500 || [404, 408, 425, 429].includes(status);
}

/** Some services tell 0 to 1, others 0 to 100. */
function percentOf({ progress }: JobAnswer): number | undefined {
  if (progress === undefined) return undefined;
  return Math.round(progress > 0 && progress < 1 ? progress * 100 : progress);
}
