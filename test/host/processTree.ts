// Ends process trees, also when this process itself is asked to end.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a process tree may take to end by itself, in milliseconds. */
const patience = 5000;

/** Asks the process group to end, then kills it. The child must have been spawned with `detached` to have a group. */
export async function stopProcessTree(child: ChildProcess): Promise<void> {
  const deadline = Date.now() + patience;
  signalTree(child, 'SIGTERM');
  while (Date.now() < deadline) {
    if (!signalTree(child, 0)) return;
    await sleep(20);
  }
  signalTree(child, 'SIGKILL');
}

/** Kills the process group; for `process.on('exit')`, which cannot wait. */
export function killProcessTree(child: ChildProcess): void {
  signalTree(child, 'SIGKILL');
}

/** Returns the ids of the processes in the group whose command line contains the text. */
export function processesOf(child: ChildProcess, text: string): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,args='], { encoding: 'utf8' }).split('\n');
  return processes.flatMap((line) => {
    const [, pid, group, commandLine] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    return Number(group) === child.pid && commandLine?.includes(text) ? [Number(pid)] : [];
  });
}

/** Sends a signal to the group. @returns false when the group has no process any more */
function signalTree(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Makes Ctrl+C, a closed terminal and `kill` run the `exit` listeners, which end the started processes. */
export function exitOnSignals(exitCode: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(exitCode));
}
