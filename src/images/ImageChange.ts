import type { PictureFormat } from './codecs/pictureFormat.ts';

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

/** The longest side of a result in pixels, which is the most that a WebP can have. */
export const maxSide = 16_383;
