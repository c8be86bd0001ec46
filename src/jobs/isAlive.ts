import { hasCode } from '../library/FileCalls.ts';

/** Whether a process of this computer is running. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
