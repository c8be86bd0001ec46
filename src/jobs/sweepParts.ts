import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Lease } from './Lease.ts';

/** How long files are kept, in milliseconds since their last change. */
const partMaxAgeMs = 30 * 24 * 60 * 60 * 1000;
const attemptMaxAgeMs = 60 * 60 * 1000;

/**
 * Removes parts of texts or recordings that were not used for 30 days, unfinished files, and abandoned work folders.
 *
 * @param workName name of the folder in `partsFolder` that holds a leased folder for each text or recording
 */
export async function sweepParts(partsFolder: string, workName: string): Promise<void> {
  for (const name of await readdir(partsFolder).catch(() => [])) {
    if (name === workName) continue;
    const path = join(partsFolder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > (name.endsWith('.part') ? attemptMaxAgeMs : partMaxAgeMs)) await rm(path, { force: true });
  }
  for (const name of await readdir(join(partsFolder, workName)).catch(() => [])) {
    const path = join(partsFolder, workName, name);
    const quiet = await Lease.quietFor(path).catch(() => 0);
    if (quiet > attemptMaxAgeMs) await rm(path, { recursive: true, force: true });
  }
}
