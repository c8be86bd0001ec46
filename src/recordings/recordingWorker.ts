// Entry point of the worker thread that reads a single recording and then ends.
import { parentPort, workerData } from 'node:worker_threads';
import { cutSound } from './cutSound.ts';
import { withRecording } from './RecordingFile.ts';
import type { RecordingMessage, RecordingTask } from './readRecording.ts';
import { takeSound } from './takeSound.ts';

const post = (message: RecordingMessage) => parentPort?.postMessage(message);
const onProgress = (share: number) => post({ type: 'progress', share });

// `readRecording` passes the task as the worker's data.
const task = workerData as RecordingTask;
try {
  const result = await withRecording(task.file, task.fd, (recording) =>
    task.type === 'cut'
      ? cutSound(recording, task.folder, task.partBytes, onProgress)
      : takeSound(recording, task, onProgress),
  );
  post({ type: 'done', result });
} catch (error) {
  post({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
}
