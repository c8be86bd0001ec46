import * as l10n from '@vscode/l10n';
import type { PictureFormat } from './codecs/pictureFormat.ts';
import { pictureFormats } from './codecs/pictureFormat.ts';
import { ImageError } from './ImageError.ts';

/** A rectangle of a picture in pixels, from its upper left corner. */
export interface CropArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What becomes of a picture. Nothing given: the same picture, encoded anew. */
export interface ImageChange {
  /** What is kept of the picture, as it is seen upright; applied first. */
  readonly crop?: CropArea | undefined;
  /** Pixels. One of the two keeps the ratio; both: the picture is cropped from the middle to fill them. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Default: the format of the source. */
  readonly format?: PictureFormat | undefined;
  /** 1–100, of JPEG and WebP; PNG has none. */
  readonly quality?: number | undefined;
}

export const defaultQuality = 80;

/** The longest side of a result in pixels, which is the most that a WebP can have. */
export const maxSide = 16_383;

/** @throws ImageError that names the first wrong field */
export function checkChange(change: ImageChange): void {
  const { width, height, format, quality, crop } = change;
  for (const [field, value] of Object.entries({ width, height })) {
    if (value !== undefined && !isWithin(value, 1, maxSide)) {
      throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', field, maxSide), field);
    }
  }
  if (quality !== undefined && !isWithin(quality, 1, 100)) {
    throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', 'quality', 100), 'quality');
  }
  if (format !== undefined && !pictureFormats.includes(format)) {
    throw new ImageError('invalid', l10n.t('format must be one of: {0}.', pictureFormats.join(', ')), 'format');
  }
  if (crop === undefined) return;
  const isArea = [crop.x, crop.y].every((at) => isWithin(at, 0, 2 ** 31)) && isWithin(crop.width, 1, 2 ** 31);
  if (!isArea || !isWithin(crop.height, 1, 2 ** 31)) {
    throw new ImageError('invalid', l10n.t('crop must have x, y, width and height in whole pixels.'), 'crop');
  }
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
