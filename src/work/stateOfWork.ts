import { isRunning, type JobRecord, jobKeptMs } from './Job.ts';
import { isUnusable } from './jobErrors.ts';

/**
 * What is known of a paid request: never sent, or certainly not billed (`none`); a living process works on it
 * (`running`); it was sent, and may have been billed (`unknown`), or else can be sent again under the same idempotency key
 * (`repeatable`); its answer is kept and only has to be saved (`answered`), or cannot be used (`unusable`); it is a part
 * whose result waits for the whole (`finished`).
 */
export type WorkState = 'none' | 'running' | 'unknown' | 'repeatable' | 'answered' | 'unusable' | 'finished';

/** Returns what is known of a request from its record, when no process works on it. */
export function stateOfWork(record: JobRecord): WorkState {
  const { state, hasAnswer, error, sandbox } = record;
  if (state === 'done') return 'finished';
  if (hasAnswer) return error && isUnusable(error) ? 'unusable' : 'answered';
  // The sandbox is free, and knows nothing of earlier requests.
  if (sandbox) return 'none';
  return isRunning(record) || state === 'unknown' || error?.mayBeBilled ? 'unknown' : 'none';
}

/**
 * Whether a work is so old that it is removed. Neither a paid result that is not saved nor a request that may be billed
 * is ever forgotten.
 */
export function isExpired(record: JobRecord): boolean {
  return stateOfWork(record) === 'none' && Date.now() - Date.parse(record.createdAt) > jobKeptMs;
}

/** Whether a request was sent, and was not certainly refused. */
export function wasSent(record: JobRecord): boolean {
  return stateOfWork(record) !== 'none';
}
