import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'sandbox-';
const day = 86_400_000;

export interface WorkFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Creates a folder for one run's results and uploads. Disposing it removes the folder.
 *
 * @param storage parent folder, where folders of crashed runs are removed; the system's temporary folder if not given
 * @param heartbeat interval of updating the folder's modification time, in milliseconds
 */
export async function createWorkFolder(storage: string | undefined, heartbeat = day / 24): Promise<WorkFolder> {
  if (storage !== undefined) {
    await mkdir(storage, { recursive: true });
    await sweep(storage);
  }
  const path = await mkdtemp(join(storage ?? tmpdir(), prefix));
  const beating = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeat).unref();
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      clearInterval(beating);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Removes the folders of runs without a heartbeat for a day. */
async function sweep(storage: string): Promise<void> {
  for (const name of await readdir(storage)) {
    const path = join(storage, name);
    if (name.startsWith(prefix) && (await stat(path)).mtimeMs < Date.now() - day) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
