import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'sandbox-';
const day = 86_400_000;

/**
 * Makes a folder for one run's results and uploads.
 *
 * @param storage to make it in; there, what crashed runs left behind is cleared away
 */
export async function createWorkFolder(storage: string | undefined): Promise<string> {
  if (storage === undefined) return mkdtemp(join(tmpdir(), prefix));
  await mkdir(storage, { recursive: true });
  for (const name of await readdir(storage)) {
    const path = join(storage, name);
    // A younger one may belong to another window of the editor.
    if (name.startsWith(prefix) && (await stat(path)).mtimeMs < Date.now() - day) {
      await rm(path, { recursive: true, force: true });
    }
  }
  return mkdtemp(join(storage, prefix));
}
