import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when a number has grown and then not changed for 100 ms: no event reports that all buffers are full. */
export async function standstill(value: () => number): Promise<void> {
  for (let before = 0; before === 0 || before !== value(); await sleep(100)) before = value();
}
