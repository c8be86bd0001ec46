import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hasCode } from '../files/FileCalls.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { usageOf } from '../library/recordFacts.ts';
import { MediaError } from '../operations/MediaError.ts';
import { originOf } from '../service/ServiceConfiguration.ts';
import { type Attempt, ignoreFailure, type JobClient } from './Attempt.ts';
import { deliver } from './deliver.ts';
import {
  afterAnswer,
  afterRefusal,
  afterRepeat,
  endStateOf,
  isNotUnderstood,
  RefusedAnswer,
  recordOf,
} from './jobErrors.ts';
import { LeaseLost } from './Lease.ts';
import { canMake, checkManifest, checkPlace, removeAttempts } from './Place.ts';
import { pollJob } from './pollJob.ts';
import { bytesOfBody, keepLinked } from './rawAnswer.ts';
import { isSavedByOther } from './saveAsset.ts';
import type { KeptAnswer } from './Work.ts';

/**
 * Saves the results of an answer, which costs nothing, and removes the job's folder.
 *
 * @param opened the client that has sent the request; undefined for an answer that an earlier process has left
 * @throws MediaError, or LeaseLost when another process has taken the job over
 */
export async function saveAnswer(attempt: Attempt, kept: KeptAnswer, opened?: JobClient): Promise<readonly Asset[]> {
  try {
    await save(attempt, kept, opened);
  } catch (error) {
    // If the answer is in this process's memory only, no other process can save it.
    const isInMemory = attempt.unwritten !== undefined;
    if (!isInMemory && (error instanceof LeaseLost || (await isTakenOver(attempt)))) throw new LeaseLost();
    throw await recordFailure(attempt, error, kept);
  }
  const { work, job } = attempt;
  if (job.whole) await ignoreFailure(work.finishPart());
  else {
    // The results are in the library; the prompt and inputs need not stay here. The sweep goes on after a crash.
    await ignoreFailure(work.ended('done', undefined, false));
    await ignoreFailure(attempt.parts.store.remove(work, job));
  }
  attempt.forgetUnwritten();
  return Object.values(attempt.saved);
}

async function save(attempt: Attempt, kept: KeptAnswer, opened: JobClient | undefined): Promise<void> {
  const { place, job } = attempt;
  if (!opened) {
    if (!job.whole) {
      checkManifest(job.place);
      await checkPlace(place);
    }
    await removeAttempts(place, job.id).catch(() => undefined);
  }
  const client = opened ?? (await attempt.parts.openClient(job.sandbox));
  await finish(attempt, kept, client).catch(async (error: unknown) => {
    if (!job.whole && isMissing(error)) {
      checkManifest(job.place);
      if (await canMake(place)) return finish(attempt, (await attempt.work.answer()) ?? kept, client);
    }
    const isExpired = error instanceof MediaError && error.kind === 'download' && !attempt.options.signal.aborted;
    // The result URLs of a finished job expire; polling the job again gives new ones.
    const first = isExpired && kept.videoId !== undefined ? await attempt.work.jobAnswer() : undefined;
    if (!first) throw error;
    await finish(attempt, first, client, true).catch((reason: unknown) => {
      // The service has forgotten the job, but the known URL may work again.
      throw reason instanceof RefusedAnswer ? error : reason;
    });
  });
}

/** @param isKnown whether an earlier answer has the URLs of the results, which a refusal must not replace */
async function finish(attempt: Attempt, kept: KeptAnswer, client: JobClient, isKnown = false): Promise<void> {
  const { work } = attempt;
  const final = await pollJob(kept, client, attempt, isKnown).catch(async (error: unknown) => {
    const latest = isNotUnderstood(error) ? await attempt.work.answer() : undefined;
    if (latest) await keepLinked(latest.raw, client, attempt);
    throw error;
  });
  // The process that has taken the job over polls it, too, and saves what it has made.
  if (attempt.work !== work) throw new LeaseLost();
  attempt.parts.jobs.update(attempt.job.id, { usage: usageOf(final.answer.usage) });
  await deliver(final, client, attempt).catch(async (error: unknown) => {
    const isMissing = final.isGuessed && error instanceof MediaError && error.kind === 'download';
    if (!isMissing || attempt.options.signal.aborted) throw error;
    await keepLinked(final.raw, client, attempt);
    const sentence = l10n.t(
      'The service says that it is done, but its answer was not understood: it names no result. {0}',
      error.message,
    );
    throw new MediaError('unreadableAnswer', sentence, { ...error, cause: error, mayBeBilled: true });
  });
}

/** Whether another window took the job over. If that window has finished the job, its folder is gone. */
async function isTakenOver({ job, work, saved, place }: Attempt): Promise<boolean> {
  if (!(await work.isHeld())) return true;
  if (await work.read()) return false;
  return await isSavedByOther(job, saved, place).catch(() => false);
}

/** Records how a job with an answer failed. @returns the error to show */
async function recordFailure(attempt: Attempt, error: unknown, kept: KeptAnswer): Promise<MediaError> {
  const { job, work, parts, saved } = attempt;
  const isCancelled = attempt.options.signal.aborted;
  if (error instanceof RefusedAnswer && !isCancelled) {
    const refused = afterRepeat(afterRefusal(error, job), job);
    attempt.forgetUnwritten();
    parts.jobs.update(job.id, { hasAnswer: false });
    await ignoreFailure(work.ended('failed', recordOf(refused, job), false));
    if (!refused.mayBeBilled) {
      await parts.store.withdraw(job.key, job.place, job.id);
      await parts.store.forgetWhole(job);
    }
    return refused;
  }
  // Try to store the answer again: there may be space now, or the folder was removed in the meantime.
  const isOnDisk = await work.answer().then(Boolean, () => false);
  const unwritten = attempt.unwritten ?? (isOnDisk ? undefined : kept);
  if (unwritten) await attempt.keep(unwritten);
  const failure = afterAnswer(error, Object.values(saved), {
    isCancelled,
    job,
    keptAt: attempt.unwritten ? await keepSpare(parts.spareFolder, kept) : 'store',
    hasRawResult: (await work.rawFiles().catch(() => [])).some(({ what }) => what === 'result'),
    host: originOf(kept.raw.source),
  });
  // The answer is paid for, so keep it until its results are saved.
  await ignoreFailure(work.ended(endStateOf(failure), recordOf(failure, job), true));
  return failure;
}

/** Writes an answer that the store has no room for to the spare folder. @returns the path of its file */
async function keepSpare(folder: string | undefined, { raw }: KeptAnswer): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    const file = join(await mkdtemp(join(folder, 'unified-media-')), 'answer');
    await writeFile(file, bytesOfBody(raw.body), { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}

/** Whether something failed because a file or folder was missing, such as a folder that was removed in the meantime. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && (hasCode(error, 'ENOENT') || isMissing(error.cause));
}
