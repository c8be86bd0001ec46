/** A file that {@link Folder.create} wrote. */
export interface CreatedFile {
  readonly name: string;
  readonly bytes: number;
  /** Tells this file from any other that later has its name; absent where the file system has no such identity. */
  readonly identity?: string | undefined;
  /** Hexadecimal, if the caller knows it: the content then decides when the identity has changed. */
  readonly sha256?: string | undefined;
}

/** What tells a file's content from any other. */
export interface FileContent {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * A folder to save in, on this machine or in a virtual workspace. Names are plain file names.
 *
 * Every method throws MediaError `save` when a link leads the folder out of the workspace, also when that link was made
 * after the last call.
 */
export interface Folder {
  readonly uri: string;
  /**
   * Creates the folder if it is missing and proves by writing that files can be saved.
   *
   * @param appendTo a file that lines will be appended to: it is created if it is missing, and must not be a link
   * @throws MediaError `save` with the reason
   */
  check(appendTo?: string): Promise<void>;
  /** Writes a new file and flushes it to disk. Rejects if the name is taken; if writing fails, nothing stays behind. */
  create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile>;
  /**
   * Gives a created file its final name, and flushes the folder to disk.
   *
   * @returns false if that name is taken; nothing has changed then
   * @throws MediaError `save` if another process has replaced or changed the created file
   */
  moveIfAbsent(created: CreatedFile, to: string): Promise<boolean>;
  /**
   * Puts a created file in the place of another one in a single step, so that whoever reads gets the old content or the new.
   *
   * @param content what the other file must hold
   * @returns false if it is missing or holds something else; nothing has changed then
   * @throws MediaError `save` if another process has replaced or changed the created file
   */
  replace(created: CreatedFile, name: string, content: FileContent): Promise<boolean>;
  /**
   * Appends whole lines and flushes them to disk. The file is created if it is missing. No other process's line gets
   * between the lines of `text`. If a write is cut short, `text` is appended again: readers must expect a line twice, a cut
   * line and empty lines.
   *
   * @param text lines, each with its line break; may be empty
   */
  append(name: string, text: string): Promise<void>;
  /** The bytes of a file from a position on, or the last `-from` bytes if it is negative; undefined if it is missing. */
  read(name: string, from?: number): Promise<Uint8Array | undefined>;
  /** The bytes of a file, chunk by chunk; rejects if it is missing. The file is open only while the stream is read. */
  stream(name: string): AsyncIterable<Uint8Array>;
  /** The size of a file in bytes; undefined if it is missing. */
  size(name: string): Promise<number | undefined>;
  /** The names of the files in the folder, without links and subfolders; none if the folder is missing. */
  list(): Promise<readonly string[]>;
  /** Removes a file if it is there. */
  remove(name: string): Promise<void>;
  uriOf(name: string): string;
}
