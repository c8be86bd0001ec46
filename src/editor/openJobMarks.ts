import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../jobs/Place.ts';
import { LocalFolder } from '../library/LocalFolder.ts';

/**
 * Marks open jobs of a folder whose library is private with empty files in `.unified-media/jobs/`. VS Code starts the
 * extension in a folder that has them, so that interrupted jobs are found again. The last job removes the folder.
 */
export function openJobMarks(root: string): Required<Pick<Place, 'announce' | 'withdraw'>> {
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
      // Fails, as intended, while another job still has a mark.
      for (const empty of [path, parent]) await rmdir(empty);
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty file.
}
