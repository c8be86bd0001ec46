import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../jobs/saveResults.ts';
import { LocalFolder } from '../library/LocalFolder.ts';

/**
 * Empty files in `.unified-media/jobs/`, one for each open job of a folder whose library is private. VS Code starts the
 * extension in a folder that has it, so that an interrupted job is found again; it goes with the last job.
 */
export function openJobSigns(root: string): Required<Pick<Place, 'announce' | 'withdraw'>> {
  const parent = join(root, '.unified-media');
  const path = join(parent, 'jobs');
  const folder = new LocalFolder(path, root);
  return {
    announce: async (jobId) => {
      await folder.check();
      await folder.create(jobId, nothing());
    },
    withdraw: async (jobId) => {
      await folder.remove(jobId);
      // Fails, as it should, while another job has a sign there.
      for (const empty of [path, parent]) await rmdir(empty);
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty file.
}
