// Entry point of the worker thread. It changes one picture and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { changePicture } from './changePicture.ts';
import { UnreadablePicture } from './codecs/pictureFile.ts';
import type { ImageTask, TaskReply } from './ImageChange.ts';

async function perform(task: ImageTask): Promise<TaskReply> {
  try {
    return await changePicture(task);
  } catch (error) {
    if (error instanceof UnreadablePicture) return { type: 'unreadable', reason: error.reason };
    return { type: 'failed', problem: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(await perform(workerData));
