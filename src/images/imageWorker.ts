// Entry point of the worker thread that changes and measures pictures.

import { answerTasks } from '../workers/WorkerThreads.ts';
import { changePicture } from './changePicture.ts';
import { decodePicture } from './codecs/decodePicture.ts';
import { declaresTransparency, isAnimated, pictureFormat, shownSize, UnreadablePicture } from './codecs/pictureFile.ts';
import type { ImageTask, MeasureTask, PictureFacts, TaskReply } from './ImageChange.ts';

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

/** Measures a picture as it is shown, on the worker thread; undefined if it has no size that can be read. */
async function measurePicture({ bytes, maxPixels }: MeasureTask): Promise<PictureFacts | undefined> {
  const format = pictureFormat(bytes);
  const size = shownSize(bytes);
  if (!size || size.width === 0 || size.height === 0) return undefined;
  // The frames of a GIF are not read.
  if (!format) return { ...size, transparent: undefined };
  if (!declaresTransparency(bytes)) return { ...size, transparent: 0 };
  if (isAnimated(bytes, format)) return { ...size, transparent: undefined };
  const bitmap = await decodePicture(bytes, { maxPixels }).catch(() => undefined);
  if (!bitmap) return { ...size, transparent: undefined };
  const { width, height, data } = bitmap;
  let transparent = 0;
  for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 255) < 128) transparent++;
  return { width, height, transparent: transparent / (width * height) };
}
