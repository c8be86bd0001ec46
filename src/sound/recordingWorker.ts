// Entry point of the worker thread that reads a single recording and then ends.
import { parentPort, workerData } from 'node:worker_threads';
import { cutSound } from './cutSound.ts';
import type { RecordingFile } from './RecordingFile.ts';
import { withRecording } from './RecordingFile.ts';
import type { RecordingMessage, RecordingResult, RecordingTask } from './readRecording.ts';
import { measureSound } from './SoundTrack.ts';
import { takeSound } from './takeSound.ts';

const post = (message: RecordingMessage) => parentPort?.postMessage(message);
const onProgress = (share: number) => post({ type: 'progress', share });

// `readRecording` passes the task as the worker's data.
const task = workerData as RecordingTask;
try {
  post({ type: 'done', result: await withRecording(task.file, task.fd, resultOf) });
} catch (error) {
  post({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
}

function resultOf(recording: RecordingFile): Promise<RecordingResult> {
  switch (task.type) {
    case 'cut':
      return cutSound(recording, task.folder, task.partBytes, onProgress);
    case 'takeSound':
      return takeSound(recording, task, onProgress);
    case 'measure':
      return measureSound(recording, onProgress);
  }
}
