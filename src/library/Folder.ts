/** A folder to save in, on this machine or in a virtual workspace. Names are plain file names. */
export interface Folder {
  readonly uri: string;
  /**
   * Makes the folder where it is missing and proves by writing that files can be saved.
   *
   * @param appendTo a file that will be added to: made where it is missing, and no link to somewhere else
   * @throws MediaError `save` with the reason
   */
  check(appendTo?: string): Promise<void>;
  /** Writes a new file and flushes it to disk; rejects when it exists. */
  create(name: string, data: AsyncIterable<Uint8Array>): Promise<void>;
  /** Gives a file its final name; false, and nothing is touched, when that is taken. */
  moveIfAbsent(from: string, to: string): Promise<boolean>;
  /** Adds text to the end of a file, which is made where it is missing, in one write. */
  append(name: string, text: string): Promise<void>;
  /** The bytes of a file from a position on, or as many of its end when that is negative; undefined when there is none. */
  read(name: string, from?: number): Promise<Uint8Array | undefined>;
  /** Removes a file; it is no error when there is none. */
  remove(name: string): Promise<void>;
  uriOf(name: string): string;
}
