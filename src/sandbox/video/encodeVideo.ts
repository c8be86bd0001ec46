import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { H264MP4Encoder } from 'h264-mp4-encoder';
// Loading it adds listeners that end the thread on any unhandled rejection, so only the worker may load it.
import library from 'h264-mp4-encoder';
import type { Picture } from '../picture/Picture.ts';
import { videoFormat } from './paintFrames.ts';

/**
 * Encodes frames as H.264 in an MP4 file. Yields to the event loop after each frame.
 *
 * @throws AbortError when the signal aborts
 */
export async function encodeVideo(frames: Iterable<Picture>, signal: AbortSignal): Promise<Uint8Array> {
  const encoder = await library.createH264MP4Encoder();
  // All encoders share one in-memory file system.
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

/** Adds all frames, then finishes and closes the file. */
async function addFrames(encoder: H264MP4Encoder, frames: Iterable<Picture>, signal: AbortSignal): Promise<void> {
  try {
    for (const { data } of frames) {
      encoder.addFrameRgba(data);
      await setImmediate(undefined, { signal });
    }
  } finally {
    encoder.finalize();
  }
}
