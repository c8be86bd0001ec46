import { createHash } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { HashedData } from '../library/saveMedia.ts';
import { withHash } from '../library/saveMedia.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Download, Progress, ResultVersion } from '../service/send.ts';

export interface FetchOptions {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Must reject when the signal is aborted. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Opens a result at an offset. `version` is that of the bytes received before, if any. */
export type OpenResult = (from: number, version: ResultVersion | undefined) => Promise<Download>;

/** Seconds between attempts that bring no data, about 20 in total. */
const pauses = [0.5, 1, 2, 4, 6, 6.5];
/** Statuses worth a retry: the file may not be there yet, or the server may be busy. */
const passingStatuses = [401, 403, 404, 408, 425, 429, 500, 502, 503, 504];

/**
 * Downloads and hashes a result. Downloading is free, so an interrupted download is resumed and a missing file is
 * requested again.
 *
 * @throws MediaError the last failure, when no data has arrived for about 20 s or a retry cannot help
 */
export function fetchResult(open: OpenResult, options: FetchOptions): HashedData {
  const data: HashedData = withHash(receive(open, () => data.sha256(), options));
  return data;
}

async function* receive(
  open: OpenResult,
  sha256: () => string,
  { signal, onProgress, sleep = (milliseconds) => sleepFor(milliseconds, undefined, { signal }) }: FetchOptions,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let version: ResultVersion | undefined;
  for (let failures = 0; ; failures++) {
    try {
      const download = await open(received, version);
      version = sameVersion(version, download.version);
      for await (const chunk of restOf(download, received, sha256)) {
        received += chunk.length;
        failures = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      const seconds = isPassing(error) ? pauses[failures] : undefined;
      if (seconds === undefined) throw error;
      onProgress({ stage: 'repeating', seconds, reason: (error as MediaError).message });
      await sleep(seconds * 1000, signal).catch((reason: unknown) => {
        throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while downloading the result.')) : reason;
      });
    }
  }
}

/** Yields the new bytes of a download. Bytes that a server without range support repeats must be unchanged. */
async function* restOf({ start, data }: Download, received: number, sha256: () => string) {
  let known = received - start;
  if (known < 0) throw changed();
  const again = createHash('sha256');
  const isWhole = start === 0;
  for await (const chunk of data) {
    const old = chunk.subarray(0, known);
    known -= old.length;
    if (old.length > 0 && isWhole) again.update(old);
    if (known === 0 && old.length > 0 && !(isWhole && again.digest('hex') === sha256())) throw changed();
    if (old.length < chunk.length) yield chunk.subarray(old.length);
  }
  // The file is now shorter than what was received before.
  if (known > 0) throw changed();
}

/** @throws MediaError when a resumed download has another version */
function sameVersion(known: ResultVersion | undefined, next: ResultVersion | undefined): ResultVersion {
  return { etag: same(known?.etag, next?.etag), total: same(known?.total, next?.total) };
}

function same<T>(before: T | undefined, after: T | undefined): T | undefined {
  if (before !== undefined && after !== undefined && before !== after) throw changed();
  return before ?? after;
}

function changed(): MediaError {
  return new MediaError('download', l10n.t('The result changed while it was being downloaded.'));
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof MediaError) || (error.kind !== 'download' && error.kind !== 'network')) return false;
  return error.status === undefined ? error.cause !== undefined : passingStatuses.includes(error.status);
}
