import type { Picture } from './Picture.ts';
import type { Frame } from './scalePicture.ts';
import { scalePicture } from './scalePicture.ts';

const dimmed = 0.35;

/** Puts the whole of a source into a frame of the target, in its proportions; the rest shows it enlarged and dark. */
export async function fitPicture(source: Picture, target: Picture, frame: Frame, signal: AbortSignal): Promise<void> {
  const inside = Math.min(frame.width / source.width, frame.height / source.height);
  const width = Math.max(1, Math.round(source.width * inside));
  const height = Math.max(1, Math.round(source.height * inside));
  if (width < frame.width || height < frame.height) {
    await scalePicture(source, covering(source, frame), target, frame, signal);
    dim(target, frame);
  }
  const left = frame.left + Math.floor((frame.width - width) / 2);
  const top = frame.top + Math.floor((frame.height - height) / 2);
  const whole = { left: 0, top: 0, width: source.width, height: source.height };
  await scalePicture(source, whole, target, { left, top, width, height }, signal);
}

/** The middle of the source, in the proportions of the frame. */
function covering(source: Picture, frame: Frame): Frame {
  const scale = Math.max(frame.width / source.width, frame.height / source.height);
  const [width, height] = [frame.width / scale, frame.height / scale];
  return { left: (source.width - width) / 2, top: (source.height - height) / 2, width, height };
}

function dim({ width, data }: Picture, frame: Frame): void {
  for (let y = frame.top; y < frame.top + frame.height; y++) {
    const start = (y * width + frame.left) * 4;
    for (let at = start; at < start + frame.width * 4; at++) {
      if (at % 4 !== 3) data[at] = (data[at] ?? 0) * dimmed;
    }
  }
}
