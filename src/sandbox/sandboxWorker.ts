// Entry point of the sandbox's worker thread: starts and cancels tasks, posts their output.
import { parentPort } from 'node:worker_threads';
import { UnreadablePicture } from '../images/codecs/pictureFile.ts';
import type { TaskMessage, TaskReply } from './renderTasks.ts';
import { tasks } from './renderTasks.ts';

const running = new Map<number, AbortController>();

parentPort?.on('message', (message: TaskMessage) => {
  if (message.type === 'cancel') running.get(message.id)?.abort();
  else void perform(message);
});

async function perform({ id, name, input }: Extract<TaskMessage, { type: 'start' }>): Promise<void> {
  const cancelling = new AbortController();
  running.set(id, cancelling);
  try {
    // RenderWorker posts each task with its own kind of input.
    const work = tasks[name] as (input: unknown, signal: AbortSignal) => Promise<unknown>;
    const output = await work(input, cancelling.signal);
    if (!cancelling.signal.aborted) reply({ id, type: 'done', output });
  } catch (error) {
    if (cancelling.signal.aborted) return;
    const problem = error instanceof Error ? error.message : String(error);
    reply({ id, type: error instanceof UnreadablePicture ? 'unreadable' : 'failed', problem });
  } finally {
    running.delete(id);
  }
}

/** Transfers pixels and files instead of copying them, if they fill their whole buffer. */
function reply(message: TaskReply): void {
  const output = message.type === 'done' ? message.output : undefined;
  const bytes = output instanceof Uint8Array ? output : dataOf(output);
  const whole = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength;
  parentPort?.postMessage(message, whole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []);
}

function dataOf(output: unknown): Uint8Array | undefined {
  const data = typeof output === 'object' && output !== null && 'data' in output ? output.data : undefined;
  return data instanceof Uint8Array ? data : undefined;
}
