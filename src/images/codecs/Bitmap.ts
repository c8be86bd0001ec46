/** Pixels in memory: red, green, blue and alpha of 8 bits each, not premultiplied, rows from the top. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}
