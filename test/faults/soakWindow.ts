// A second window beside soakJobs.ts that looks for abandoned jobs at random times: soakWindow.ts <host> <base>
// <seed>
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { faultRunner } from './faultJob.ts';
import { numbersFrom } from './numbersFrom.ts';
import { soakFolders } from './soakFolders.ts';

/** Sent when the window is asked to stop. */
export interface SoakWindowResult {
  /** How often it looked for abandoned jobs. */
  readonly looks: number;
  /** Number of jobs that it took from the window that runs them. */
  readonly taken: number;
}

const [host = '', base = '', seed = ''] = process.argv.slice(2);
const folders = soakFolders(base);
const random = numbersFrom(Number(seed) + 2);
const { runner, ...window } = faultRunner({ ...folders, host });
const stop = new AbortController();
process.once('message', () => stop.abort());
let looks = 0;
let taken = 0;
while (!stop.signal.aborted) {
  taken += (await runner.recover([pathToFileURL(folders.root).href], stop.signal)).length;
  looks++;
  await sleep(random() * 50, undefined, { signal: stop.signal }).catch(() => undefined);
}
await window[Symbol.asyncDispose]();
process.send?.({ looks, taken } satisfies SoakWindowResult);
process.disconnect();
