import { randomBytes } from 'node:crypto';
import library from 'h264-mp4-encoder';
import { decodePng } from '../images/codecs/decodePng.ts';
import type { Picture } from './picture/Picture.ts';
import { createPicture, encodePng, fillRows, fitPicture } from './picture/Picture.ts';
import { paintEdit, paintFrames, paintPicture, sizeOfVideo, videoFormat } from './picture/paintPicture.ts';
import { maxPixels, readPicture } from './picture/readPicture.ts';
import type { VideoRecord } from './video/VideoStore.ts';

/** The worker thread's tasks by name. Each takes one value that can be posted. */
export const tasks = { paintPicture, paintEdit, readPicture, paintFirstFrame, makeVideo } as const;

type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

export interface RenderTask {
  readonly name: TaskName;
  readonly input: unknown;
}

/** For `unreadable`, the problem is the rest of a sentence that starts with the picture. */
export type RenderResult =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'unreadable'; readonly problem: string };

// Loading it adds listeners that end the thread on any unhandled rejection, so only the worker may load it.

interface VideoPlan {
  readonly record: VideoRecord;
  /** First frame as a PNG of the video's size, if the video begins with an image. */
  readonly image: Uint8Array | undefined;
  readonly seconds: number;
}

/** @returns an MP4 file */
async function makeVideo({ record, image, seconds }: VideoPlan): Promise<Uint8Array> {
  const first = image && (await decodePng(image, { maxPixels }));
  return moveIndexFirst(await encodeVideo(paintFrames(record, first, seconds), sizeOfVideo(record)));
}

interface FirstFrame {
  readonly source: Picture;
  readonly size: readonly [width: number, height: number];
}

/** Fits a picture into a video frame. @returns a PNG */
async function paintFirstFrame({ source, size: [width, height] }: FirstFrame): Promise<Buffer> {
  const picture = createPicture(width, height);
  fillRows(picture, 0, height, [0, 0, 0]);
  fitPicture(source, picture, [0, 0, width, height]);
  return encodePng(picture);
}

/** Encodes frames as H.264 in an MP4 file. */
async function encodeVideo(
  frames: Iterable<Picture>,
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

interface Box {
  readonly type: string;
  readonly bytes: Buffer;
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

function boxesOf(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = Math.max(8, bytes.readUInt32BE(at));
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return boxes;
}
