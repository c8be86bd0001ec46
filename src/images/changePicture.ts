import type { Bitmap } from './codecs/Bitmap.ts';
import { cropBitmap, resizeBitmap } from './codecs/Bitmap.ts';
import { decodePicture } from './codecs/decodePicture.ts';
import {
  colourProfile,
  encodeJpeg,
  encodePng,
  encodeWebp,
  withJpegProfile,
  withWebpProfile,
} from './codecs/encodePicture.ts';
import type { PictureFormat } from './codecs/pictureFile.ts';
import { isAnimated, pictureFormat, UnreadablePicture } from './codecs/pictureFile.ts';
import type { CropArea, ImageChange, ImageFile, ImageTask, TaskReply } from './ImageChange.ts';
import { defaultQuality, maxSide } from './ImageChange.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Part of the source to use, and the size of the result. */
interface ChangePlan extends Size {
  readonly from: CropArea;
}

/** Plans a change. @returns undefined if the crop area exceeds the source */
function planChange(source: Size, { crop, width, height }: ImageChange): ChangePlan | undefined {
  const area = crop ?? { x: 0, y: 0, width: source.width, height: source.height };
  if (area.x + area.width > source.width || area.y + area.height > source.height) return undefined;
  if (width !== undefined && height !== undefined) return { from: middleOf(area, width / height), width, height };
  const scale = width !== undefined ? width / area.width : height !== undefined ? height / area.height : 1;
  return {
    from: area,
    width: width ?? Math.max(1, Math.round(area.width * scale)),
    height: height ?? Math.max(1, Math.round(area.height * scale)),
  };
}

/** Returns the largest centered part of an area that has this ratio. */
function middleOf(area: CropArea, ratio: number): CropArea {
  const width = Math.min(area.width, Math.max(1, Math.round(area.height * ratio)));
  const height = Math.min(area.height, Math.max(1, Math.round(area.width / ratio)));
  return {
    x: area.x + Math.floor((area.width - width) / 2),
    y: area.y + Math.floor((area.height - height) / 2),
    width,
    height,
  };
}

type Reply = Extract<TaskReply, { readonly type: 'done' | 'outside' | 'resultTooLarge' }>;

/** Decodes a picture once and makes each result from it, on the worker thread. @throws UnreadablePicture */
export async function changePicture({ bytes, changes, maxBytes, maxPixels }: ImageTask): Promise<Reply> {
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
    const file = await encode(bitmap, change, change.format ?? format ?? 'png', profile);
    if (maxBytes === undefined) files.push(file);
    else if (file.bytes.length <= maxBytes) return { type: 'done', files: [file] };
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
