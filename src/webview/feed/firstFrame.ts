import { post } from '../host.ts';
import { maxPreviewBytes } from '../protocol/messages.ts';

/** Maximum side of a preview, in pixels. */
const maxSide = 320;

/** The time of the captured frame, in seconds; many videos start with a black frame. */
const frameTime = 0.1;

/**
 * Captures the current frame of a video and asks the host to save it.
 *
 * @param video loaded with `crossorigin`, so that a canvas may read it
 */
export async function saveFirstFrame(id: string, video: HTMLVideoElement): Promise<void> {
  const { videoWidth, videoHeight, duration } = video;
  if (videoWidth === 0 || !Number.isFinite(duration)) return;
  const scale = Math.min(1, maxSide / Math.max(videoWidth, videoHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(videoWidth * scale));
  canvas.height = Math.max(1, Math.round(videoHeight * scale));
  const context = canvas.getContext('2d');
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  // A busy computer may not have decoded the frame yet; nothing is drawn then. The next view tries again.
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data;
  if (!pixels?.some((value, index) => index % 4 === 3 && value > 0)) return;
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.75));
  if (blob?.type !== 'image/webp' || blob.size > maxPreviewBytes) return;
  post('keepPreview', { id, bytes: new Uint8Array(await blob.arrayBuffer()), seconds: duration });
}

/** Returns the URL of a video at the time of its preview. */
export function atFirstFrame(source: string): string {
  return `${source}#t=${frameTime}`;
}
