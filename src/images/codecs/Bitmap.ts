/** Pixels as 8-bit RGBA, not premultiplied, rows from the top. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}
