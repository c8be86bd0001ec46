import type { PictureFormat, PictureSize, UnreadableReason } from './codecs/pictureFile.ts';

/** Rectangle of a picture, in pixels from its upper left corner. */
export interface CropArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A picture that replaces part of another one. */
export interface Patch {
  readonly bytes: Uint8Array;
  /** Where it goes; it is resized to fit. */
  readonly area: CropArea;
  /**
   * PNG of the size of the whole picture, which is transparent where the patch is to be seen, as masks of services are.
   */
  readonly mask: Uint8Array;
  /** Width of the soft edge around that part, in pixels. */
  readonly feather: number;
}

/** How a picture is changed. An empty change only encodes it again. */
export interface ImageChange {
  /** Applied before all else. */
  readonly patch?: Patch;
  /** Part of the upright picture to keep; applied first. */
  readonly crop?: CropArea;
  /** Width divided by height, to which the picture is cropped around its center. */
  readonly ratio?: number;
  /**
   * Pixels. If only one of the two is set, the ratio is kept; if both are, the picture is cropped around its center.
   */
  readonly width?: number;
  readonly height?: number;
  /** Default: the source's format. */
  readonly format?: PictureFormat;
  /** 1–100, for JPEG and WebP; PNG ignores it. */
  readonly quality?: number;
  /** Whether transparent pixels become white, which they always do in a JPEG. */
  readonly isOpaque?: boolean;
}

/** Quality of JPEG and WebP unless the change sets another. */
export const defaultQuality = 80;

/** Maximum side of a result, in pixels: the limit of WebP. */
export const maxSide = 16_383;

/** An encoded picture. */
export interface EncodedImage {
  readonly bytes: Uint8Array;
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Size of the part that it was made from, if that was smaller in a direction. */
  readonly enlargedFrom?: PictureSize;
}

/** What is measured of a picture. */
export interface PictureFacts extends PictureSize {
  /** Share of the pixels that are more transparent than opaque, 0 to 1; undefined if they cannot be read. */
  readonly transparent: number | undefined;
}

/** Task of the worker. */
export type ImageTask = ChangeTask | MeasureTask;

/** Measures a picture. */
export interface MeasureTask {
  readonly type: 'measure';
  readonly bytes: Uint8Array;
  /** The pixels of a larger picture are not read. */
  readonly maxPixels: number;
}

/** Makes other pictures from one. */
export interface ChangeTask {
  readonly type: 'change';
  readonly bytes: Uint8Array;
  /** Each change makes one result. */
  readonly changes: readonly ImageChange[];
  /** If set, the changes are tried in order, and the first result of at most this size is the only one. */
  readonly maxBytes?: number;
  /** Maximum number of pixels of the picture and of each result. */
  readonly maxPixels: number;
}

/** Reply of the worker. `outside` means that a crop area exceeds the picture, and gives the picture's size. */
export type TaskReply =
  | { readonly type: 'done'; readonly files: readonly EncodedImage[] }
  | { readonly type: 'measured'; readonly facts: PictureFacts | undefined }
  | { readonly type: 'outside'; readonly width: number; readonly height: number }
  | { readonly type: 'resultTooLarge'; readonly field: string; readonly width: number; readonly height: number }
  | { readonly type: 'unreadable'; readonly reason: UnreadableReason };
