import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when a number has not changed for 100 ms, because no event tells that all buffers are full. */
export async function standstill(value: () => number): Promise<void> {
  for (let before = -1; before !== value(); await sleep(100)) before = value();
}
