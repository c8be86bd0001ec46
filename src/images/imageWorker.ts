// Entry point of the worker thread that changes pictures.
import { answerTasks } from '../workers/WorkerThreads.ts';
import { changePicture } from './changePicture.ts';
import { UnreadablePicture } from './codecs/pictureFile.ts';
import type { ImageTask, TaskReply } from './ImageChange.ts';

answerTasks(async (task: ImageTask): Promise<TaskReply> => {
  try {
    return await changePicture(task);
  } catch (error) {
    if (error instanceof UnreadablePicture) return { type: 'unreadable', reason: error.reason };
    throw error;
  }
});
