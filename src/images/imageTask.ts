import type { UnreadableReason } from './codecs/UnreadablePicture.ts';
import type { ImageChange } from './ImageChange.ts';

/** An encoded picture. */
export interface ImageFile {
  readonly bytes: Uint8Array;
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Task of the worker, passed as `workerData`. */
export interface ImageTask {
  readonly bytes: Uint8Array;
  /** Each change makes one result. */
  readonly changes: readonly ImageChange[];
  /** Maximum number of pixels of the picture and of each result. */
  readonly maxPixels: number;
}

/**
 * Reply of the worker, which then ends. `outside` means that a crop area exceeds the picture, and gives the picture's
 * size.
 */
export type TaskReply =
  | { readonly type: 'done'; readonly files: readonly ImageFile[] }
  | { readonly type: 'outside'; readonly width: number; readonly height: number }
  | { readonly type: 'resultTooLarge'; readonly field: string; readonly width: number; readonly height: number }
  | { readonly type: 'unreadable'; readonly reason: UnreadableReason }
  | { readonly type: 'failed'; readonly problem: string };
