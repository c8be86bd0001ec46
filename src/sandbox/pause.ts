import { setImmediate } from 'node:timers/promises';

/** Lets everything else that waits run, then throws if the work is no longer wanted. */
export async function pause(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}
