import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when a number has not changed for a tenth of a second: nobody tells when all buffers on a way are full. */
export async function standstill(value: () => number): Promise<void> {
  for (let before = -1; before !== value(); await sleep(100)) before = value();
}
