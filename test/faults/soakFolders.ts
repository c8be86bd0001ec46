import { join } from 'node:path';
import type { FaultFolders } from './faultJob.ts';

/** The folders that all windows of a soak share. */
export function soakFolders(base: string): FaultFolders {
  return { root: join(base, 'workspace'), journal: join(base, 'journal'), recording: join(base, 'talk.wav') };
}
