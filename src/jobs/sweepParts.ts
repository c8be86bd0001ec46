import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Lease, leaseSilence } from './Lease.ts';

/** How long files are kept, in milliseconds since their last change. */
const partMaxAgeMs = 30 * 24 * 60 * 60 * 1000;
const attemptMaxAgeMs = 60 * 60 * 1000;

/**
 * Removes parts of texts or recordings that were not used for 30 days, unfinished files, and abandoned work folders.
 *
 * @param workName name of the folder in `partsFolder` that holds a leased folder for each text or recording
 * @param silence milliseconds without a heartbeat after which a lease is free
 */
export async function sweepParts(partsFolder: string, workName: string, silence = leaseSilence): Promise<void> {
  for (const name of await readdir(partsFolder).catch(() => [])) {
    if (name === workName) continue;
    const path = join(partsFolder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > (name.endsWith('.part') ? attemptMaxAgeMs : partMaxAgeMs)) await rm(path, { force: true });
  }
  for (const name of await readdir(join(partsFolder, workName)).catch(() => [])) {
    const path = join(partsFolder, workName, name);
    const quiet = await Lease.quietFor(path).catch(() => 0);
    if (quiet <= attemptMaxAgeMs) continue;
    // Just after a sleep of this computer, a folder in use looks as old.
    const lease = await Lease.take(path, { silence, confirms: true }).catch(() => undefined);
    if (!lease) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
    await lease.release();
  }
}
