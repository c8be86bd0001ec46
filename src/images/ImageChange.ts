import type { PictureFormat, UnreadableReason } from './codecs/pictureFile.ts';

/** Rectangle of a picture, in pixels from its upper left corner. */
export interface CropArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a picture is changed. An empty change only encodes it again. */
export interface ImageChange {
  /** Part of the upright picture to keep; applied first. */
  readonly crop?: CropArea | undefined;
  /**
   * Pixels. If only one of the two is set, the ratio is kept; if both are, the picture is cropped around its center.
   */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Default: the source's format. */
  readonly format?: PictureFormat | undefined;
  /** 1–100, for JPEG and WebP; PNG ignores it. */
  readonly quality?: number | undefined;
}

/** Quality of JPEG and WebP unless the change sets another. */
export const defaultQuality = 80;

/** Maximum side of a result, in pixels: the limit of WebP. */
export const maxSide = 16_383;

/** An encoded picture. */
export interface ImageFile {
  readonly bytes: Uint8Array;
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Task of the worker. */
export interface ImageTask {
  readonly bytes: Uint8Array;
  /** Each change makes one result. */
  readonly changes: readonly ImageChange[];
  /** If set, the changes are tried in order, and the first result of at most this size is the only one. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of pixels of the picture and of each result. */
  readonly maxPixels: number;
}

/** Reply of the worker. `outside` means that a crop area exceeds the picture, and gives the picture's size. */
export type TaskReply =
  | { readonly type: 'done'; readonly files: readonly ImageFile[] }
  | { readonly type: 'outside'; readonly width: number; readonly height: number }
  | { readonly type: 'resultTooLarge'; readonly field: string; readonly width: number; readonly height: number }
  | { readonly type: 'unreadable'; readonly reason: UnreadableReason };
