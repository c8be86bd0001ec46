import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { ThreadError, WorkerThreads } from '../workers/WorkerThreads.ts';
import { maxDecodedMebibytes, maxSourceSide, pictureFormats, type UnreadableReason } from './codecs/pictureFile.ts';
import {
  type ChangeTask,
  type EncodedImage,
  type ImageChange,
  type ImageTask,
  maxSide,
  type PictureFacts,
  type TaskReply,
} from './ImageChange.ts';
import { markPicture } from './markPicture.ts';

/** Says why a picture could not be changed; the message is for a person. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  /**
   * `invalid`: a field of the change is invalid; `tooSlow`: the deadline passed; `tooMuchMemory`: the worker exceeded its
   * memory; `failed`: any other error.
   */
  readonly reason: UnreadableReason | 'invalid' | 'tooSlow' | 'tooMuchMemory' | 'failed';
  /** Field of the change that is invalid, or `file` for the picture itself. */
  readonly field: string;

  constructor(reason: ImageError['reason'], sentence: string, field = 'file') {
    super(sentence);
    this.reason = reason;
    this.field = field;
  }
}

/** No picture is that long; beyond it a side would round to nothing. */
const maxRatio = 100;

/** Checks a change. @throws ImageError that names the first invalid field */
export function checkChange(change: { readonly [Name in keyof ImageChange]: unknown }): asserts change is ImageChange {
  const { width, height, format, quality, crop, ratio } = change;
  for (const [field, value] of Object.entries({ width, height })) {
    if (value !== undefined && !isWithin(value, 1, maxSide)) {
      throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', field, maxSide), field);
    }
  }
  if (quality !== undefined && !isWithin(quality, 1, 100)) {
    throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', 'quality', 100), 'quality');
  }
  if (ratio !== undefined && !(typeof ratio === 'number' && ratio >= 1 / maxRatio && ratio <= maxRatio)) {
    throw new ImageError('invalid', l10n.t('ratio must be a number from 1/{0} to {0}.', maxRatio), 'ratio');
  }
  if (format !== undefined && !pictureFormats.some((one) => one === format)) {
    throw new ImageError('invalid', l10n.t('format must be one of: {0}.', pictureFormats.join(', ')), 'format');
  }
  if (crop !== undefined && !isArea(crop)) {
    throw new ImageError('invalid', l10n.t('crop must have x, y, width and height in whole pixels.'), 'crop');
  }
}

function isArea(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { x, y, width, height } = value;
  return [x, y].every((at) => isWithin(at, 0, 2 ** 31)) && [width, height].every((side) => isWithin(side, 1, 2 ** 31));
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

export interface TransformOptions {
  /** Stops the work; the call rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Maximum duration, in milliseconds. */
  readonly deadlineMs?: number;
  /** Maximum number of pixels of the picture and of each result. */
  readonly maxPixels?: number;
  /** What the results say that they are; nothing if absent. */
  readonly mark?: DigitalSource;
}

/** Maximum number of pixels of a picture that is changed: those of the largest cameras. */
const maxPicturePixels = 100_000_000;

/** Maximum number of pixels of a picture of which a preview is made, which nobody has asked for. */
export const maxPreviewPixels = 32_000_000;

/**
 * Crops, resizes and converts a picture, in this order. A picture that is shown turned is turned upright. An RGB colour profile is kept; all
 * other metadata, such as place, camera and Content Credentials, is removed.
 *
 * Each call runs on a worker thread of its own: 12 megapixels would block the editor for a second, a malicious file
 * forever, and WebAssembly codecs never release their memory. JPEG and WebP are read and written by libjpeg-turbo and
 * libwebp as WebAssembly, which is five times as fast as JavaScript.
 *
 * @param bytes a PNG, JPEG or WebP with a single picture
 * @throws ImageError that names the field; the signal's reason when it aborts
 */
export async function transformImage(
  bytes: Uint8Array,
  change: ImageChange,
  options: TransformOptions = {},
): Promise<EncodedImage> {
  const [file] = await transformImages(bytes, [change], options);
  if (!file) throw errorOf({ type: 'failed', problem: 'no result' }, 0);
  return file;
}

/** Makes several results from one picture, which is decoded once. */
export async function transformImages(
  bytes: Uint8Array,
  changes: readonly ImageChange[],
  options: TransformOptions = {},
): Promise<readonly EncodedImage[]> {
  return perform({ type: 'change', bytes, changes }, options);
}

/**
 * Returns the first result that has at most `maxBytes`; undefined if none has. The picture is decoded once, and the
 * changes after that result are not made.
 */
export async function firstThatFits(
  bytes: Uint8Array,
  changes: readonly ImageChange[],
  maxBytes: number,
  options: TransformOptions = {},
): Promise<EncodedImage | undefined> {
  const [file] = await perform({ type: 'change', bytes, changes, maxBytes }, options);
  return file;
}

async function perform(
  task: Omit<ChangeTask, 'maxPixels'>,
  { signal, deadlineMs = 60_000, maxPixels = maxPicturePixels, mark }: TransformOptions,
): Promise<readonly EncodedImage[]> {
  for (const change of task.changes) checkChange(change);
  const threads = new WorkerThreads<ImageTask, TaskReply>(threadSettings);
  const reply = await threads.run({ ...task, maxPixels }, { signal, deadlineMs }).catch(failureOf);
  if (reply.type === 'done') return mark ? reply.files.map((file) => markPicture(file, mark)) : reply.files;
  throw errorOf(reply.type === 'measured' ? { type: 'failed', problem: 'no result' } : reply, maxPixels);
}

/** Measures a picture on a worker thread; undefined if that is not possible. Takes at most 10 seconds. */
export async function measureImage(bytes: Uint8Array, signal?: AbortSignal): Promise<PictureFacts | undefined> {
  const threads = new WorkerThreads<ImageTask, TaskReply>(threadSettings);
  const task = { type: 'measure', bytes, maxPixels: maxPreviewPixels } as const;
  const reply = await threads.run(task, { signal, deadlineMs: 10_000 }).catch(() => undefined);
  return reply?.type === 'measured' ? reply.facts : undefined;
}

type TransformFailure =
  | Exclude<TaskReply, { readonly type: 'done' | 'measured' }>
  | { readonly type: 'tooSlow' | 'tooMuchMemory' }
  | { readonly type: 'failed'; readonly problem: string };

/** Pixels lie outside of the heap, so the size of the picture is what limits them. */
const threadSettings = {
  beside: import.meta.url,
  file: 'imageWorker',
  limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 },
} as const;

function failureOf(error: unknown): TransformFailure {
  if (!(error instanceof ThreadError)) throw error;
  const { reason, message } = error;
  return reason === 'tooSlow' || reason === 'tooMuchMemory' ? { type: reason } : { type: 'failed', problem: message };
}

function errorOf(failure: TransformFailure, maxPixels: number): ImageError {
  const megapixels = maxPixels / 1_000_000;
  switch (failure.type) {
    case 'unreadable':
      return new ImageError(failure.reason, unreadableSentence(failure.reason, megapixels));
    case 'outside': {
      const { width, height } = failure;
      return new ImageError(
        'invalid',
        l10n.t('crop extends beyond the image, which is {0} × {1} pixels.', width, height),
        'crop',
      );
    }
    case 'resultTooLarge': {
      const { width, height, field } = failure;
      const sentence = l10n.t(
        'The image would be {0} × {1} pixels, which is too large; choose a smaller size.',
        width,
        height,
      );
      return new ImageError('invalid', sentence, field);
    }
    case 'tooSlow':
      return new ImageError(
        'tooSlow',
        l10n.t('Processing the image took too long and was stopped. The file may be damaged.'),
      );
    case 'tooMuchMemory':
      return new ImageError(
        'tooMuchMemory',
        l10n.t('Processing the image took too much memory and was stopped. The file may be damaged.'),
      );
    case 'failed':
      return new ImageError('failed', l10n.t('The image could not be changed: {0}', failure.problem));
  }
}

function unreadableSentence(reason: UnreadableReason, megapixels: number): string {
  switch (reason) {
    case 'unsupported':
      return l10n.t('This file is not a PNG, JPEG or WebP image; other formats cannot be changed.');
    case 'animated':
      return l10n.t('This image is animated; only still images can be changed.');
    case 'print':
      return l10n.t('This JPEG is in colours of print (CMYK), which cannot be changed here. Save it as RGB first.');
    case 'coding':
      return l10n.t(
        'This JPEG is stored in a way that cannot be read here (arithmetic or lossless coding, or 12 bits per sample). Save it as a usual JPEG or as a PNG first.',
      );
    case 'cut':
      return l10n.t('This JPEG is cut off: its end is missing. Get the whole file again.');
    case 'damaged':
      return l10n.t('This image cannot be read; the file may be damaged.');
    case 'tooLarge':
      return l10n.t(
        'This image is too large to be read here: at most {0} megapixels, {1} pixels per side and {2} MiB of pixels are allowed.',
        megapixels,
        maxSourceSide,
        maxDecodedMebibytes,
      );
  }
}

/** Says that a picture has more pixels than what it was made from; undefined if it has not. */
export function enlargedSentence({ width, height, enlargedFrom: from }: EncodedImage): string | undefined {
  if (!from) return undefined;
  return l10n.t('It was enlarged from {0} × {1} to {2} × {3} pixels.', from.width, from.height, width, height);
}

/** The formats of images that can be changed, by the extension in lower case. */
export const formatByExtension: Readonly<Record<string, 'png' | 'jpeg' | 'webp'>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
};

/** Converts an image to the type of an extension; undefined unless both are PNG, JPEG or WebP that can be converted. */
export async function convertPicture(
  bytes: Uint8Array,
  extension: string,
  mark?: DigitalSource,
): Promise<Uint8Array | undefined> {
  const format = formatByExtension[extension.toLowerCase()];
  if (format === undefined) return undefined;
  try {
    return (await transformImage(bytes, { format }, { mark })).bytes;
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
