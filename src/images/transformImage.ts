import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import type { UnreadableReason } from './codecs/UnreadablePicture.ts';
import type { ImageChange } from './ImageChange.ts';
import { checkChange } from './ImageChange.ts';
import { ImageError } from './ImageError.ts';
import type { ImageFile, ImageTask, TaskReply } from './imageTask.ts';

export interface TransformOptions {
  /** Stops the work; the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the work may take. */
  readonly deadlineMs?: number | undefined;
  /** Of the picture and of each result. */
  readonly maxPixels?: number | undefined;
}

/**
 * Crops, resizes and converts a picture, in this order, on a thread of its own. A JPEG is turned upright, an RGB colour
 * profile is kept, all other metadata (place, camera) is not.
 *
 * @param bytes a PNG, JPEG or WebP of one picture
 * @throws ImageError that names the field; the signal's reason when it aborts
 */
export async function transformImage(
  bytes: Uint8Array,
  change: ImageChange,
  options: TransformOptions = {},
): Promise<ImageFile> {
  const [file] = await transformImages(bytes, [change], options);
  if (!file) throw errorOf({ type: 'failed', problem: 'no result' }, 0);
  return file;
}

/** The same for several results of one picture, which is decoded once. */
export async function transformImages(
  bytes: Uint8Array,
  changes: readonly ImageChange[],
  { signal, deadlineMs = 60_000, maxPixels = 64_000_000 }: TransformOptions = {},
): Promise<readonly ImageFile[]> {
  for (const change of changes) checkChange(change);
  const reply = await runWorker({ bytes, changes, maxPixels }, deadlineMs, signal);
  if (reply.type === 'done') return reply.files;
  throw errorOf(reply, maxPixels);
}

type Failure = Exclude<TaskReply, { readonly type: 'done' }> | { readonly type: 'tooSlow' };

/** Nothing but the end of its thread stops a decoder. */
async function runWorker(
  task: ImageTask,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): Promise<TaskReply | Failure> {
  signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(deadlineMs);
  // From the sources it is a .ts file, in a bundle a .js file, each beside this one.
  const file = new URL(`./imageWorker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { name: 'images', workerData: task });
  // What it says after the deadline interests nobody, and must not end the process.
  worker.on('error', () => undefined);
  try {
    const stop = signal ? AbortSignal.any([deadline, signal]) : deadline;
    const [reply] = await once(worker, 'message', { signal: stop });
    return reply;
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted) return { type: 'tooSlow' };
    return { type: 'failed', problem: error instanceof Error ? error.message : String(error) };
  } finally {
    void worker.terminate();
  }
}

function errorOf(failure: Failure, maxPixels: number): ImageError {
  const megapixels = maxPixels / 1_000_000;
  switch (failure.type) {
    case 'unreadable':
      return new ImageError(failure.reason, unreadableSentence(failure.reason, megapixels));
    case 'outside': {
      const { width, height } = failure;
      return new ImageError(
        'invalid',
        l10n.t('crop reaches beyond the picture, which has {0} × {1} pixels.', width, height),
        'crop',
      );
    }
    case 'resultTooLarge': {
      const { width, height, field } = failure;
      const sentence = l10n.t(
        'The picture would have {0} × {1} pixels, which is too large; choose a smaller size.',
        width,
        height,
      );
      return new ImageError('invalid', sentence, field);
    }
    case 'tooSlow':
      return new ImageError(
        'tooSlow',
        l10n.t('The picture took too long, so the work was stopped. It may be damaged.'),
      );
    case 'failed':
      return new ImageError('failed', l10n.t('The picture could not be changed: {0}', failure.problem));
  }
}

function unreadableSentence(reason: UnreadableReason, megapixels: number): string {
  switch (reason) {
    case 'unsupported':
      return l10n.t('This file is not a PNG, JPEG or WebP picture; other formats cannot be changed.');
    case 'animated':
      return l10n.t('This picture is animated; only still pictures can be changed.');
    case 'damaged':
      return l10n.t('This picture cannot be read; the file may be damaged.');
    case 'tooLarge':
      return l10n.t('This picture has more than {0} megapixels, which is too large to be changed here.', megapixels);
  }
}
