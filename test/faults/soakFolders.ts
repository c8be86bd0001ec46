import { join } from 'node:path';
import type { FaultFolders } from './faultJob.ts';

/** Where all windows of a soak work. */
export function soakFolders(base: string): FaultFolders {
  return { root: join(base, 'workspace'), journal: join(base, 'journal'), recording: join(base, 'talk.wav') };
}
