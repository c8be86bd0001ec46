interface Frame {
  /** Length in bytes, including the header. */
  readonly length: number;
  /** Duration. */
  readonly seconds: number;
  /** Decoder settings, which must be the same in all frames of a file. */
  readonly setup: string;
}

/** An audio format of self-describing frames, which can be split and joined. */
export interface FrameFormat {
  /** Number of bytes that {@link read} needs. */
  readonly headerLength: number;
  /** Maximum frame length in bytes. */
  readonly maxFrameBytes: number;
  /** Whether a file may start with an ID3v2 tag. */
  readonly hasTag: boolean;
  /** Reads the header of the frame at an offset; undefined when there is none. */
  read(bytes: Uint8Array, offset: number): Frame | undefined;
  /** Whether a file's first frame holds only the file's length and index, no sound. */
  isIndex(frame: Uint8Array): boolean;
}
