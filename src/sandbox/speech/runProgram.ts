import { spawn } from 'node:child_process';
import type { Program } from './SystemVoice.ts';

/**
 * Runs a program until it exits. Kills it when the signal aborts or after `limitMs`.
 *
 * @throws the signal's reason when it aborts; another error if the program cannot be started, fails or is too slow
 */
export async function runProgram(program: Program, signal: AbortSignal, limitMs: number): Promise<void> {
  signal.throwIfAborted();
  const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const child = spawn(program.path, program.arguments, {
    stdio: 'ignore',
    windowsHide: true,
    env: { ...process.env, ...program.environment },
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  end.addEventListener('abort', kill, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        if (code === 0) resolve();
        else reject(new Error(`${program.path} exited with ${killedBy ?? code}.`));
      });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    end.removeEventListener('abort', kill);
  }
}
