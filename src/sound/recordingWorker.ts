// Entry point of the worker thread that reads recordings.
import { answerTasks } from '../workers/WorkerThreads.ts';
import { cutSound, takeSound } from './copySound.ts';
import { peaksOf } from './loudness.ts';
import { withRecording } from './RecordingFile.ts';
import type { RecordingResult, RecordingTask } from './readRecording.ts';
import { examineRecording, measureSound, soundTracksOf } from './SoundTrack.ts';

answerTasks(performTask);

function performTask(task: RecordingTask, onProgress: (share: number) => void): Promise<RecordingResult> {
  return withRecording(task.file, task.fd, (recording): Promise<RecordingResult> => {
    switch (task.type) {
      case 'cut':
        return cutSound(recording, task, onProgress);
      case 'takeSound':
        return takeSound(recording, task, onProgress);
      case 'tracks':
        return soundTracksOf(recording, onProgress);
      case 'measure':
        return measureSound(recording, onProgress);
      case 'examine':
        return examineRecording(recording, onProgress);
      case 'peaks':
        return peaksOf(recording, task.seconds, onProgress);
    }
  });
}
