// Runs one job until it is killed: node runJobInProcess.ts '<ProcessOptions as JSON>'
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import type { ProcessOptions } from './jobProcess.ts';
import { imageJob, jobRunnerAt, videoJob } from './jobRunner.ts';
import { jpegFile } from './pictureFiles.ts';

const {
  host,
  kind,
  key,
  dieAt,
  place,
  converts = false,
  ...folders
} = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions;

/** Kills this process just before or after a file gets its final name. */
class MortalFolder extends LocalFolder {
  override async moveIfAbsent(...parameters: Parameters<LocalFolder['moveIfAbsent']>): Promise<boolean> {
    if (dieAt === 'beforeLink') process.kill(process.pid, 'SIGKILL');
    const isMoved = await super.moveIfAbsent(...parameters);
    if (dieAt === 'afterLink' && isMoved) process.kill(process.pid, 'SIGKILL');
    return isMoved;
  }
}

const { runner } = jobRunnerAt(host, {
  ...folders,
  ...(converts ? { convert: async () => jpegFile } : {}),
  folderAt: (path, root) => new MortalFolder(path, root),
});
const job = kind === 'video' ? videoJob(folders.root) : imageJob(folders.root);
const nothing = () => undefined;
const options = { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing };
await runner
  .run({ ...job, ...(key === undefined ? {} : { key }), place: { ...job.place, ...place } }, options)
  .catch((error: unknown) => {
    // Some jobs are meant to fail; their tests check the disk.
    if (!(error instanceof MediaError)) throw error;
  });
