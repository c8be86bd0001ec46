import { randomBytes } from 'node:crypto';
import type { H264MP4Encoder } from 'h264-mp4-encoder';
// Loading it adds listeners that end the thread at any unhandled rejection: it is for the worker alone.
import library from 'h264-mp4-encoder';
import { pause } from '../pause.ts';
import type { Picture } from '../picture/Picture.ts';
import { videoFormat } from './videoFormat.ts';

/**
 * Encodes frames as H.264 in an MP4 file, one at a time, so that everything else goes on.
 *
 * @throws the signal's reason when it aborts
 */
export async function encodeVideo(frames: Iterable<Picture>, signal: AbortSignal): Promise<Uint8Array> {
  const encoder = await library.createH264MP4Encoder();
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
