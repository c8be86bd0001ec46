// Runs one job until it is killed: node runJobInProcess.ts '<ProcessOptions as JSON>'
import { LocalFolder } from '../../src/library/LocalFolder.ts';
import type { ProcessOptions } from './jobProcess.ts';
import { imageJob, jobRunnerAt, videoJob } from './jobRunner.ts';

const { host, kind, dieAt, place, ...options } = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions;

/** Ends this process at once, as when its power is cut, just before or after a file gets its final name. */
class MortalFolder extends LocalFolder {
  override async moveIfAbsent(...parameters: Parameters<LocalFolder['moveIfAbsent']>): Promise<boolean> {
    if (dieAt === 'beforeLink') process.kill(process.pid, 'SIGKILL');
    const isMoved = await super.moveIfAbsent(...parameters);
    if (dieAt === 'afterLink' && isMoved) process.kill(process.pid, 'SIGKILL');
    return isMoved;
  }
}

const { runner } = jobRunnerAt(host, { ...options, folderAt: (path, root) => new MortalFolder(path, root) });
const job = kind === 'video' ? videoJob(options.root) : imageJob(options.root);
const nothing = () => undefined;
await runner.run(
  { ...job, place: { ...job.place, ...place } },
  { signal: new AbortController().signal, onProgress: nothing, onNotice: nothing },
);
