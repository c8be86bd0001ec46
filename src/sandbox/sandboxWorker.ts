// Entry point of the sandbox's worker threads.
import type { Transferable } from 'node:worker_threads';
import { UnreadablePicture } from '../images/codecs/pictureFile.ts';
import { answerTasks } from '../workers/WorkerThreads.ts';
import type { RenderResult, RenderTask } from './renderTasks.ts';
import { tasks } from './renderTasks.ts';

answerTasks(async ({ name, input }: RenderTask): Promise<RenderResult> => {
  // RenderWorker posts each task with its own kind of input.
  const work = tasks[name] as (input: unknown) => Promise<unknown>;
  try {
    return { type: 'done', output: await work(input) };
  } catch (error) {
    if (error instanceof UnreadablePicture) return { type: 'unreadable', problem: error.message };
    throw error;
  }
}, transfersOf);

/** Pixels and files are given away if they fill their whole buffer. */
function transfersOf(result: RenderResult): readonly Transferable[] {
  const output = result.type === 'done' ? result.output : undefined;
  const bytes = output instanceof Uint8Array ? output : dataOf(output);
  const isWhole = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function dataOf(output: unknown): Uint8Array | undefined {
  const data = typeof output === 'object' && output !== null && 'data' in output ? output.data : undefined;
  return data instanceof Uint8Array ? data : undefined;
}
