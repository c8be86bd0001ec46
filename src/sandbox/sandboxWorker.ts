// Entry point of the sandbox's worker threads.

import { randomBytes } from 'node:crypto';
import type { Transferable } from 'node:worker_threads';
// Loading it adds listeners that end the thread on any unhandled rejection, so only the worker may load it.
import library from 'h264-mp4-encoder';
import { isObject } from '../foreign/shape.ts';
import { type Bitmap, flattenOnWhite } from '../images/codecs/Bitmap.ts';
import { decodePicture, decodePng } from '../images/codecs/decodePicture.ts';
import { UnreadablePicture } from '../images/codecs/pictureFile.ts';
import { boxHead } from '../marks/containers.ts';
import { answerTasks } from '../workers/WorkerThreads.ts';
import { createPicture, encodePng, fillRows, fitPicture, scaleBy } from './picture/Picture.ts';
import { paintEdit, paintFrames, paintPicture, sizeOfVideo, videoFormat } from './picture/paintPicture.ts';
import type { VideoRecord } from './video/VideoStore.ts';

/** The worker thread's tasks by name. Each takes one value that can be posted. */
const tasks = { paintPicture, paintEdit, readPicture, paintFirstFrame, paintThumbnail, makeVideo } as const;

export type TaskName = keyof typeof tasks;
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>;

export interface RenderTask {
  readonly name: TaskName;
  readonly input: unknown;
}

/** For `unreadable`, the problem is the rest of a sentence that starts with the picture. */
export type RenderResult =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'unreadable'; readonly problem: string };

answerTasks(async ({ name, input }: RenderTask): Promise<RenderResult> => {
  // RenderWorker posts each task with its own kind of input.
  const work = tasks[name] as (input: unknown) => Promise<unknown>;
  try {
    return { type: 'done', output: await work(input) };
  } catch (error) {
    if (error instanceof UnreadablePicture) return { type: 'unreadable', problem: error.message };
    throw error;
  }
}, transfersOf);

/** Pixels and files are given away if they fill their whole buffer. */
function transfersOf(result: RenderResult): readonly Transferable[] {
  const output = result.type === 'done' ? result.output : undefined;
  const bytes = output instanceof Uint8Array ? output : dataOf(output);
  const isWhole = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function dataOf(output: unknown): Uint8Array | undefined {
  const data = isObject(output) ? output.data : undefined;
  return data instanceof Uint8Array ? data : undefined;
}

/** More than most phones and cameras take. A decoded pixel takes four bytes, briefly three times over. */
const maxPixels = 32_000_000;

/**
 * Decodes a picture and shrinks it to `maxSide`: several full-size photographs would fill the memory.
 *
 * @throws UnreadablePicture
 */
async function readPicture({
  file,
  maxSide,
  keepsAlpha,
}: {
  /** A PNG, JPEG or WebP file, or one in base64. */
  readonly file: Uint8Array | string;
  /** Maximum length of the longer side, in pixels. */
  readonly maxSide: number;
  /** Whether transparent pixels stay so, instead of becoming white. */
  readonly keepsAlpha?: boolean;
}): Promise<Bitmap> {
  const bytes = typeof file === 'string' ? decodeBase64(file) : file;
  const decoded = await decodePicture(bytes, { maxPixels });
  const picture = keepsAlpha ? decoded : flattenOnWhite(decoded);
  return scaleBy(picture, Math.min(1, maxSide / Math.max(picture.width, picture.height)));
}

function decodeBase64(base64: string): Uint8Array {
  if (!/^[\w+/-]+={0,2}$/.test(base64)) throw new UnreadablePicture('damaged', 'holds a data: URL that is not base64');
  return Buffer.from(base64, 'base64');
}

/** @returns an MP4 file */
async function makeVideo({
  record,
  image,
  seconds,
}: {
  readonly record: VideoRecord;
  /** First frame as a PNG of the video's size, if the video begins with an image. */
  readonly image: Uint8Array | undefined;
  readonly seconds: number;
}): Promise<Uint8Array> {
  const first = image && (await decodePng(image, { maxPixels }));
  return moveIndexFirst(await encodeVideo(paintFrames(record, first, seconds), sizeOfVideo(record)));
}

/** Paints the first frame of a video. @returns a PNG */
async function paintThumbnail({
  record,
  image,
}: {
  readonly record: VideoRecord;
  /** As for {@link makeVideo}. */
  readonly image: Uint8Array | undefined;
}): Promise<Buffer> {
  const first = image && (await decodePng(image, { maxPixels }));
  const [frame] = paintFrames(record, first, 1 / videoFormat.framesPerSecond);
  if (!frame) throw new Error('The video has no frames.');
  return encodePng(frame);
}

/** Fits a picture into a video frame. @returns a PNG */
async function paintFirstFrame({
  source,
  size: [width, height],
}: {
  readonly source: Bitmap;
  readonly size: readonly [width: number, height: number];
}): Promise<Buffer> {
  const picture = createPicture(width, height);
  fillRows(picture, 0, height, [0, 0, 0]);
  fitPicture(source, picture, [0, 0, width, height]);
  return encodePng(picture);
}

/** Encodes frames as H.264 in an MP4 file. */
async function encodeVideo(
  frames: Iterable<Bitmap>,
  [width, height]: readonly [width: number, height: number],
): Promise<Uint8Array> {
  const encoder = await library.createH264MP4Encoder();
  // All encoders share one in-memory file system.
  encoder.outputFilename = `${randomBytes(8).toString('hex')}.mp4`;
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = videoFormat.framesPerSecond;
  encoder.groupOfPictures = videoFormat.framesPerSecond;
  encoder.quantizationParameter = 22;
  encoder.speed = 5;
  encoder.initialize();
  try {
    for (const { data } of frames) encoder.addFrameRgba(data);
    encoder.finalize();
    return encoder.FS.readFile(encoder.outputFilename);
  } finally {
    encoder.FS.unlink(encoder.outputFilename);
    encoder.delete();
  }
}

/** Boxes that contain only boxes, on the path to the chunk offset table. */
const containers = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/**
 * Moves the index of an MP4 file (`moov`) before its media, so that a player can start before it has the whole file.
 * Returns the file unchanged if it has no index or begins with it.
 */
function moveIndexFirst(file: Uint8Array): Uint8Array {
  const whole = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const boxes = boxesOf(whole);
  const index = boxes.find(({ type }) => type === 'moov');
  const media = boxes.findIndex(({ type }) => type === 'mdat');
  if (!index || media === -1 || boxes.indexOf(index) < media) return file;
  const moved = Buffer.from(index.bytes);
  shiftOffsets(moved, moved.length);
  const others = boxes.filter((box) => box !== index);
  return Buffer.concat([
    ...others.slice(0, media).map(({ bytes }) => bytes),
    moved,
    ...others.slice(media).map(({ bytes }) => bytes),
  ]);
}

/** Adds `by` to every file offset in the index. */
function shiftOffsets(parent: Buffer, by: number): void {
  for (const { type, bytes } of boxesOf(parent.subarray(8))) {
    if (containers.includes(type)) shiftOffsets(bytes, by);
    if (type !== 'stco') continue;
    const count = bytes.readUInt32BE(12);
    for (let entry = 0; entry < count; entry++) {
      const at = 16 + entry * 4;
      bytes.writeUInt32BE(bytes.readUInt32BE(at) + by, at);
    }
  }
}

function boxesOf(bytes: Buffer) {
  const boxes: { readonly type: string; readonly bytes: Buffer }[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const { type, length } = boxHead(bytes.subarray(at));
    if (length === 0) break;
    boxes.push({ type, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return boxes;
}
