import { parentPort, SHARE_ENV, Worker, workerData } from 'node:worker_threads';
import { type Printable, printableText } from '../foreign/escape.ts';
import { reasonOf } from '../operations/MediaError.ts';
import type { CommandLine } from './commandLine.ts';
import type { Shell } from './runVerb.ts';

/** How long a verb may take to end after the first signal, in milliseconds. */
const endingMs = 5000;

type Output = Pick<Shell, 'print' | 'note'>;
type ThreadMessage =
  | { readonly type: keyof Output; readonly text: Printable }
  | { readonly type: 'ended'; readonly code: number };

/**
 * Runs a verb on a thread of its own, so that this thread gets signals even while the verb's JavaScript does not return.
 * The first signal aborts the verb. A second one, or five seconds, end the process as the signal does by default: what
 * is out stays unknown, and its lease shows that the process has ended.
 *
 * @param file the script that calls {@link runInThread}
 * @returns the exit code
 */
export async function runOnThread(file: URL, line: CommandLine, output: Output): Promise<number> {
  // On Windows, the case of a variable's name does not matter, but it would in a copy.
  const worker = new Worker(file, { workerData: line, env: SHARE_ENV });
  endAtSignal(() => worker.postMessage('abort'));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.on('message', (message: ThreadMessage) => {
    if (message.type === 'ended') resolve(message.code);
    else output[message.type](message.text);
  });
  worker.on('error', reject);
  // It ended without a result.
  worker.on('exit', () => resolve(1));
  return await promise;
}

/**
 * Calls `abort` at the first signal, and ends the process five seconds later.
 *
 * @param host a part of `process`
 */
export function endAtSignal(
  abort: () => void,
  host: Pick<NodeJS.Process, 'platform' | 'pid' | 'once' | 'kill'> = process,
): void {
  // Windows, which has no SIGTERM, sends SIGHUP when the console is closed. Elsewhere `nohup` ignores it.
  const further: readonly NodeJS.Signals[] = host.platform === 'win32' ? ['SIGHUP'] : [];
  for (const signal of ['SIGINT', 'SIGTERM', ...further] as const) {
    host.once(signal, () => {
      abort();
      // The listener is gone, so the signal ends the process, even where its threads could not be stopped.
      setTimeout(() => host.kill(host.pid, signal === 'SIGHUP' ? 'SIGTERM' : signal), endingMs);
    });
  }
}

/** Runs in the thread what {@link runOnThread} asks for, and reports its output and its exit code. */
export async function runInThread(run: (line: CommandLine, shell: Output & Pick<Shell, 'signal'>) => Promise<number>) {
  const post = (message: ThreadMessage) => parentPort?.postMessage(message);
  const abort = new AbortController();
  parentPort?.once('message', () => abort.abort());
  // Waiting for a signal must not keep a thread that has nothing left to do.
  parentPort?.unref();
  const print = (text: Printable) => post({ type: 'print', text });
  const note = (text: Printable) => post({ type: 'note', text });
  try {
    post({ type: 'ended', code: await run(workerData as CommandLine, { signal: abort.signal, print, note }) });
  } catch (error) {
    note(printableText(reasonOf(error)));
    post({ type: 'ended', code: 1 });
  }
}
