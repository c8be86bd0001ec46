import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the machine has been idle for 750 ms, or after 9 s. */
export async function untilQuiet(): Promise<void> {
  for (let waited = 0; waited < 9000; waited += 750) {
    const before = processorTimes();
    await sleep(750);
    const after = processorTimes();
    if (after.idle - before.idle > 0.95 * (after.all - before.all)) return;
  }
}

function processorTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((time) => Object.values(time))) };
}
