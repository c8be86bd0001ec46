// Entry point of the worker thread that changes and measures pictures.
import { answerTasks } from '../workers/WorkerThreads.ts';
import { changePicture } from './changePicture.ts';
import { UnreadablePicture } from './codecs/pictureFile.ts';
import type { ImageTask, TaskReply } from './ImageChange.ts';
import { measurePicture } from './measurePicture.ts';

answerTasks(async (task: ImageTask): Promise<TaskReply> => {
  try {
    return task.type === 'measure'
      ? { type: 'measured', facts: await measurePicture(task) }
      : await changePicture(task);
  } catch (error) {
    if (error instanceof UnreadablePicture) return { type: 'unreadable', reason: error.reason };
    throw error;
  }
});
