import { MediaError } from '../operations/MediaError.ts';
import type { OtherRequests } from '../service/send.ts';
import { type Attempt, ignoreFailure, type JobClient, sentRequest } from './Attempt.ts';
import {
  afterRepeat,
  beforeSending,
  cannotKeep,
  endStateOf,
  inUseElsewhere,
  ofJob,
  recordOf,
  UnknownOutcome,
} from './jobErrors.ts';
import { LeaseLost } from './Lease.ts';
import { checkManifest } from './Place.ts';
import { repeats, sentKey } from './repeatable.ts';
import type { KeptAnswer } from './Work.ts';

/** Sends the request of a job and keeps the answer. Each step is in the journal before it is taken. @throws MediaError */
export async function exchange(attempt: Attempt, client: JobClient, others?: OtherRequests): Promise<KeptAnswer> {
  const { options, parts, work } = attempt;
  const { jobs, store } = parts;
  const { id, key, place, operation } = attempt.job;
  try {
    // It may have been moved while the job waited for its turn.
    checkManifest(place);
  } catch (error) {
    throw beforeSending(error);
  }
  const repeatsKey = await takeKey(attempt, client);
  await options.beforeSending?.(attempt.job);
  jobs.update(id, { state: 'sending' });
  // Noted first, because its outcome is unknown already, and must stay so if it cannot be noted.
  if (await noteAgain(attempt, repeatsKey)) attempt.job = { ...attempt.job, isRepeated: true };
  const { isRepeated } = attempt.job;
  const earlier = await work.sending(attempt.job).catch((error: unknown) => {
    if (error instanceof LeaseLost) throw inUseElsewhere(operation);
    return cannotKeep(error);
  });
  for (const replaced of earlier) jobs.remove(replaced);
  if (!isRepeated) await note(attempt);
  await options.lookAgain?.().catch(async (error: unknown) => {
    await store.withdraw(key, place, id);
    throw error;
  });
  attempt.isSent = true;
  let isPartial = false;
  const raw = await client
    .exchange(operation, sentRequest(attempt.job), {
      ...options,
      idempotencyKey: attempt.job.idempotencyKey?.value,
      repeatsKey,
      others,
      openFile: () => work.openAnswer(),
      onPartial: async (part) => {
        await work.partial(part);
        isPartial = true;
      },
    })
    .catch(async (error: unknown) => {
      if (options.signal.aborted) {
        isPartial = false;
        await ignoreFailure(work.discardAnswers());
      }
      if (isModelGone(error)) await noteModel(attempt, true);
      const ended = afterRepeat(ofJob(error, attempt.job, isPartial), attempt.job);
      jobs.update(id, { hasRawAnswer: isPartial });
      await ignoreFailure(work.ended(endStateOf(ended), recordOf(ended, attempt.job), false));
      if (ended instanceof MediaError && !ended.mayBeBilled) {
        await store.withdraw(key, place, id);
        await store.forgetWhole(attempt.job);
      }
      throw ended;
    })
    .finally(() => ignoreFailure(work.removeRecording()));
  const kept = await attempt.keep({ raw, videoId: undefined });
  if (isRepeated) await store.withdrawOthers(attempt.job);
  await noteModel(attempt, false);
  return kept;
}

/**
 * Gives the job its idempotency key, which is in the journal before the request is sent: that of an earlier attempt whose
 * outcome is unknown, or a new one.
 *
 * @returns whether an earlier attempt has sent the key
 * @throws UnknownOutcome when the request is not the one of the earlier attempt, unless a person has agreed to send it
 */
async function takeKey(attempt: Attempt, client: JobClient): Promise<boolean> {
  const { idempotencyKey: earlier, ...job } = attempt.job;
  const found = await client.fingerprint(job.operation, sentRequest(job)).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const isRepeat = repeats(earlier, found);
  if (earlier && !isRepeat && !attempt.options.again) throw new UnknownOutcome();
  const idempotencyKey = isRepeat ? earlier : found && sentKey(job.id, found);
  attempt.job = { ...job, ...(idempotencyKey ? { idempotencyKey } : {}) };
  attempt.parts.jobs.update(job.id, { idempotencyKey });
  return isRepeat;
}

async function noteModel({ job, parts }: Attempt, isGone: boolean): Promise<void> {
  const { operation, request, sandbox } = job;
  if (!sandbox) await ignoreFailure(parts.noteModel?.(operation, request.model, isGone));
}

/**
 * Notes that a request is sent again whose outcome is unknown: a person has agreed, or it repeats an idempotency key.
 *
 * @returns whether it is such a request
 * @throws MediaError when a note of others cannot be replaced; nothing was sent
 */
async function noteAgain({ job, options, parts: { store } }: Attempt, repeatsKey: boolean): Promise<boolean> {
  const { key, place, sandbox } = job;
  const isAllowed = options.again || repeatsKey;
  if (!isAllowed || sandbox || (await store.stateOf(key, place)) === 'none') return false;
  if (!place.isChosen) await store.noteAgain(job);
  return true;
}

/**
 * Writes a note beside the project that the request is being sent.
 *
 * @throws MediaError when another computer has noted the same request; nothing was sent
 */
async function note({ job, parts }: Attempt): Promise<void> {
  const { id, key, place, sandbox } = job;
  if (sandbox || place.isChosen) return;
  const isNoted = parts.store.note(job);
  // No other computer sends a request under the id of this job, so a failed note is ignored.
  if (key === id) await isNoted.catch(() => undefined);
  else if (!(await isNoted.catch(cannotKeep))) throw new UnknownOutcome();
}

/** Whether a service answered that it does not have the model. */
function isModelGone(error: unknown): boolean {
  return error instanceof MediaError && error.kind === 'notFound' && error.field === 'model';
}
