// Entry point of the worker thread that reads documents, one at a time.
import { parentPort } from 'node:worker_threads';
import { findReferences } from '../documents/findReferences.ts';
import { speakableText, spokenBlocks } from '../documents/speakableText.ts';
import type { ReadingReply, ReadingTask } from './DocumentReader.ts';

parentPort?.on('message', (task: ReadingTask) => parentPort?.postMessage(replyTo(task)));

function replyTo(task: ReadingTask): ReadingReply {
  try {
    return { type: 'done', result: read(task) };
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

function read(task: ReadingTask): unknown {
  switch (task.type) {
    case 'blocks':
      return spokenBlocks(task.text, task.languageId, task.path);
    case 'text':
      return speakableText(task.text, task.languageId, task.path);
    case 'references':
      return findReferences(task.text, task.language);
  }
}
