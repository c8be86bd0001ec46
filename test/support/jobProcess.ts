import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PlaceReference } from '../../src/jobs/JobRecord.ts';

export interface ProcessOptions {
  readonly host: string;
  /** The workspace folder. */
  readonly root: string;
  readonly journal: string;
  readonly kind?: 'image' | 'video';
  readonly videoStatusPath?: string;
  /** What differs in where the job saves to. */
  readonly place?: Partial<PlaceReference>;
  /** Whether results that have to be of another type become a JPEG. */
  readonly converts?: boolean;
  /** Milliseconds without a heartbeat after which a job has no owner. */
  readonly silence?: number;
  /** The process kills itself there. */
  readonly dieAt?: 'beforeLink' | 'afterLink';
}

/** A process that runs one job, as a window does. */
export function spawnJob(options: ProcessOptions): ChildProcess {
  const script = join(import.meta.dirname, 'runJobInProcess.ts');
  return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Ends a process as a crash does. */
export async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Another window, in a process of its own, that recovers when it is asked to. */
export async function startRecoverer(options: ProcessOptions) {
  const child = fork(join(import.meta.dirname, 'recoverInProcess.ts'), [JSON.stringify(options)]);
  await once(child, 'message');
  return {
    /** @returns the states of the jobs that it recovered */
    recover: async (): Promise<readonly string[]> => {
      const answer = once(child, 'message');
      child.send('recover');
      return (await answer)[0] as readonly string[];
    },
    [Symbol.asyncDispose]: () => kill(child),
  };
}
