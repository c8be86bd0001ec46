// Entry point of the worker thread that reads documents.
import { findReferences } from '../documents/findReferences.ts';
import { omittedPlaces, speakableText, spokenBlocks } from '../documents/speakableText.ts';
import { answerTasks } from '../workers/WorkerThreads.ts';
import type { ReadingTask } from './DocumentReader.ts';

answerTasks((task: ReadingTask): unknown => {
  switch (task.type) {
    case 'blocks':
      return spokenBlocks(task.text, task.languageId, task.path);
    case 'text':
      return speakableText(task.text, task.languageId, task.path);
    case 'omitted':
      return omittedPlaces(task.text, task.languageId, task.path);
    case 'references':
      return findReferences(task.text, task.language);
  }
});
