import { randomBytes } from 'node:crypto';
import type { H264MP4Encoder } from 'h264-mp4-encoder';
import { pause } from '../pause.ts';
import type { Picture } from '../picture/Picture.ts';
import { videoFormat } from './videoFormat.ts';

/**
 * Encodes frames as H.264 in an MP4 file, one at a time, so that everything else goes on.
 *
 * @throws the signal's reason when it aborts
 */
export async function encodeVideo(frames: Iterable<Picture>, signal: AbortSignal): Promise<Uint8Array> {
  const encoder = await createEncoder();
  // All encoders share one file system in memory.
  encoder.outputFilename = `${randomBytes(8).toString('hex')}.mp4`;
  encoder.width = videoFormat.width;
  encoder.height = videoFormat.height;
  encoder.frameRate = videoFormat.framesPerSecond;
  encoder.groupOfPictures = videoFormat.framesPerSecond;
  encoder.quantizationParameter = 22;
  encoder.speed = 5;
  encoder.initialize();
  try {
    await addFrames(encoder, frames, signal);
    return encoder.FS.readFile(encoder.outputFilename);
  } finally {
    encoder.FS.unlink(encoder.outputFilename);
    encoder.delete();
  }
}

/** The file is complete, and closed, when this is over. */
async function addFrames(encoder: H264MP4Encoder, frames: Iterable<Picture>, signal: AbortSignal): Promise<void> {
  try {
    for (const { data } of frames) {
      encoder.addFrameRgba(data);
      await pause(signal);
    }
  } finally {
    encoder.finalize();
  }
}

/**
 * Loading the library adds listeners that end the whole process, the editor's extension host, at anybody's unhandled
 * rejection: they are taken off again.
 */
async function createEncoder(): Promise<H264MP4Encoder> {
  const exceptions = process.listeners('uncaughtException');
  const rejections = process.listeners('unhandledRejection');
  const { default: library } = await import('h264-mp4-encoder');
  for (const listener of process.listeners('uncaughtException')) {
    if (!exceptions.includes(listener)) process.off('uncaughtException', listener);
  }
  for (const listener of process.listeners('unhandledRejection')) {
    if (!rejections.includes(listener)) process.off('unhandledRejection', listener);
  }
  return library.createH264MP4Encoder();
}
