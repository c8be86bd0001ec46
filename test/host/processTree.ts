// Ends processes together with all that they started, also when this process itself is told to end.
import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a process tree gets to end by itself. */
const patience = 5000;

/** Asks the whole group to end, then insists. The child must have been spawned with `detached`, which gives it a group. */
export async function stopProcessTree(child: ChildProcess): Promise<void> {
  const deadline = Date.now() + patience;
  signalTree(child, 'SIGTERM');
  while (Date.now() < deadline) {
    if (!signalTree(child, 0)) return;
    await sleep(20);
  }
  signalTree(child, 'SIGKILL');
}

/** For `process.on('exit')`, which cannot wait. */
export function killProcessTree(child: ChildProcess): void {
  signalTree(child, 'SIGKILL');
}

/** The numbers of those processes of the group whose command line contains the text. */
export function processesOf(child: ChildProcess, text: string): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,args='], { encoding: 'utf8' }).split('\n');
  return processes.flatMap((line) => {
    const [, pid, group, commandLine] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    return Number(group) === child.pid && commandLine?.includes(text) ? [Number(pid)] : [];
  });
}

/** Returns false when no process of the group is left. */
function signalTree(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Ctrl+C, a closed terminal and `kill` then run the `exit` listeners, which end what was started. */
export function exitOnSignals(exitCode: number): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(exitCode));
}
