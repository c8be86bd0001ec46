import type { UnreadableReason } from './codecs/UnreadablePicture.ts';
import type { ImageChange } from './ImageChange.ts';

/** A picture as a file has it. */
export interface ImageFile {
  readonly bytes: Uint8Array;
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** To the worker, as its `workerData`. */
export interface ImageTask {
  readonly bytes: Uint8Array;
  /** Each makes one result of the picture. */
  readonly changes: readonly ImageChange[];
  /** Of the picture and of each result. */
  readonly maxPixels: number;
}

/** From the worker, which ends then. `outside`: a crop area is not inside the picture, whose size this is. */
export type TaskReply =
  | { readonly type: 'done'; readonly files: readonly ImageFile[] }
  | { readonly type: 'outside'; readonly width: number; readonly height: number }
  | { readonly type: 'resultTooLarge'; readonly field: string; readonly width: number; readonly height: number }
  | { readonly type: 'unreadable'; readonly reason: UnreadableReason }
  | { readonly type: 'failed'; readonly problem: string };
