import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { PlaceReference } from '../../src/work/Job.ts';
import { bundledScript } from './bundledScripts.ts';

export interface ProcessOptions {
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  readonly journal: string;
  readonly kind?: 'image' | 'video';
  /** Key of the request; it is then never paid for twice. */
  readonly key?: string;
  readonly videoStatusPath?: string;
  /** Changes to the place where the job saves. */
  readonly place?: Partial<PlaceReference>;
  /** Whether results that need another type are converted to JPEG. */
  readonly converts?: boolean;
  /** How long a job may lack a heartbeat before it counts as abandoned, in milliseconds. */
  readonly silence?: number;
  /** Stage at which the process kills itself. */
  readonly dieAt?: 'beforeLink' | 'afterLink';
}

/** Starts a process that runs one job, as a window does. */
export function spawnJob(options: ProcessOptions): ChildProcess {
  const values = [bundledScript('runJobInProcess'), JSON.stringify(options)];
  return spawn(process.execPath, values, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Kills a process, as a crash does. */
export async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Starts another window in its own process; it recovers jobs on request. */
export async function startRecoverer(options: ProcessOptions) {
  const child = fork(bundledScript('recoverInProcess'), [JSON.stringify(options)]);
  await once(child, 'message');
  return {
    /** Recovers. @returns the states of the recovered jobs */
    recover: async (): Promise<readonly string[]> => {
      const answer = once(child, 'message');
      child.send('recover');
      return (await answer)[0] as readonly string[];
    },
    [Symbol.asyncDispose]: () => kill(child),
  };
}
