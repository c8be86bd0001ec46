// Entry point of the worker thread that reads a single recording and then ends.
import { parentPort, workerData } from 'node:worker_threads';
import { cutSound } from './cutSound.ts';
import type { RecordingMessage, RecordingTask } from './readRecording.ts';
import { takeSound } from './takeSound.ts';

const post = (message: RecordingMessage) => parentPort?.postMessage(message);
const onProgress = (share: number) => post({ type: 'progress', share });

// `readRecording` passes the task as the worker's data.
const task = workerData as RecordingTask;
try {
  const result =
    task.type === 'cut'
      ? await cutSound(task.file, task.folder, task.partBytes, onProgress)
      : await takeSound(task, onProgress);
  post({ type: 'done', result });
} catch (error) {
  post({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
}
