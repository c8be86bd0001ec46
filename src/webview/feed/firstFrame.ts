import { post } from '../host.ts';
import { largestPreview } from '../protocol/messages.ts';

/** In pixels. */
const maxSide = 320;

/** In seconds: many videos begin with black. */
const moment = 0.1;

/**
 * Draws the first frame of a video that is loaded, and has the host keep it.
 *
 * @param video loaded with `crossorigin`, which lets a canvas read it
 */
export async function takeFirstFrame(id: string, video: HTMLVideoElement): Promise<void> {
  const { videoWidth, videoHeight, duration } = video;
  if (videoWidth === 0 || !Number.isFinite(duration)) return;
  const scale = Math.min(1, maxSide / Math.max(videoWidth, videoHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(videoWidth * scale));
  canvas.height = Math.max(1, Math.round(videoHeight * scale));
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.75));
  if (blob?.type !== 'image/webp' || blob.size > largestPreview) return;
  post('keepPreview', { id, bytes: new Uint8Array(await blob.arrayBuffer()), seconds: duration });
}

/** The address of a video, at the moment whose picture stands for it. */
export function atFirstFrame(source: string): string {
  return `${source}#t=${moment}`;
}
