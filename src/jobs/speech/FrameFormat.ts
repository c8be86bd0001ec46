interface Frame {
  /** Bytes, with the header. */
  readonly length: number;
  /** How long it sounds. */
  readonly seconds: number;
  /** What a decoder is set up for: the same in all frames of a file. */
  readonly setup: string;
}

/** A coding whose frames each say what they are, so that they can be told apart and put together. */
export interface FrameFormat {
  /** Bytes that {@link read} looks at. */
  readonly headerLength: number;
  /** Bytes of the longest frame. */
  readonly longest: number;
  /** Whether a file may begin with an ID3v2 tag. */
  readonly hasTag: boolean;
  /** The frame that begins at an offset, by its header; undefined where none does. */
  read(bytes: Uint8Array, offset: number): Frame | undefined;
  /** Whether a file's first frame holds no sound but the file's length and an index to it. */
  isIndex(frame: Uint8Array): boolean;
}
