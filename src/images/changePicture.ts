import type { Bitmap } from './codecs/Bitmap.ts';
import { colourProfile, withJpegProfile, withWebpProfile } from './codecs/colourProfile.ts';
import { cropBitmap } from './codecs/cropBitmap.ts';
import { decodePicture } from './codecs/decodePicture.ts';
import { encodeJpeg } from './codecs/encodeJpeg.ts';
import { encodePng } from './codecs/encodePng.ts';
import { encodeWebp } from './codecs/encodeWebp.ts';
import type { PictureFormat } from './codecs/pictureFormat.ts';
import { isAnimated, pictureFormat } from './codecs/pictureFormat.ts';
import { resizeBitmap } from './codecs/resizeBitmap.ts';
import { UnreadablePicture } from './codecs/UnreadablePicture.ts';
import type { ImageChange } from './ImageChange.ts';
import { defaultQuality, maxSide } from './ImageChange.ts';
import type { ImageFile, ImageTask, TaskReply } from './imageTask.ts';
import { planChange } from './planChange.ts';

type Reply = Extract<TaskReply, { readonly type: 'done' | 'outside' | 'resultTooLarge' }>;

/** Decodes a picture once and makes each result from it, on the worker thread. @throws UnreadablePicture */
export async function changePicture({ bytes, changes, maxPixels }: ImageTask): Promise<Reply> {
  const format = pictureFormat(bytes);
  if (format && isAnimated(bytes, format)) throw new UnreadablePicture('animated', 'holds more than one picture');
  const source = await decodePicture(bytes, { maxPixels });
  const profile = format && colourProfile(bytes, format);
  const files: ImageFile[] = [];
  for (const change of changes) {
    const plan = planChange(source, change);
    if (!plan) return { type: 'outside', width: source.width, height: source.height };
    const { from, width, height } = plan;
    if (Math.max(width, height) > maxSide || width * height > maxPixels) {
      return { type: 'resultTooLarge', field: change.width === undefined ? 'height' : 'width', width, height };
    }
    const bitmap = resizeBitmap(cropBitmap(source, from), width, height);
    files.push(await encode(bitmap, change, change.format ?? format ?? 'png', profile));
  }
  return { type: 'done', files };
}

async function encode(
  bitmap: Bitmap,
  { quality = defaultQuality }: ImageChange,
  format: PictureFormat,
  profile: Uint8Array | undefined,
): Promise<ImageFile> {
  const { width, height } = bitmap;
  const describe = (bytes: Uint8Array) => ({ bytes, mediaType: `image/${format}`, width, height });
  switch (format) {
    case 'png':
      return describe(encodePng(bitmap, profile));
    case 'jpeg': {
      const file = await encodeJpeg(bitmap, quality);
      return describe(profile ? withJpegProfile(file, profile) : file);
    }
    case 'webp': {
      const file = await encodeWebp(bitmap, quality);
      return describe(profile ? withWebpProfile(file, profile, width, height) : file);
    }
  }
}
