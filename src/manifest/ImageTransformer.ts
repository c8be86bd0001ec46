/** Of the file that comes out. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

export interface Transformation {
  readonly format: ImageFormat;
  /** Pixels; with both, the picture is cropped from the middle to fill them. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** 1 to 100. */
  readonly quality?: number | undefined;
}

/** Resizes, crops and converts a picture. @throws MediaError for one that cannot be read */
export type ImageTransformer = (picture: Uint8Array, to: Transformation) => Promise<Uint8Array>;
