import { sha256OfStream } from './readBytes.ts';

/** A file that {@link Folder.create} wrote. */
export interface CreatedFile {
  readonly name: string;
  readonly bytes: number;
  /** Distinguishes this file from a later one with the same name; absent if the file system has no file ids. */
  readonly identity?: string;
  /** Hash of the content (hexadecimal), if known. It is compared when the identity has changed. */
  readonly sha256?: string;
}

/** Size and hash of a file's content. */
export interface FileContent {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * A folder to save files in, on disk or in a virtual workspace. Names are plain file names.
 *
 * Every method throws MediaError `save` when a link makes the folder point outside the workspace, even if the link was
 * created after the last call.
 */
export interface Folder {
  readonly uri: string;
  /**
   * Creates the folder if it is missing and checks by writing that files can be saved.
   *
   * @param appendTo a file that lines will be appended to; created if it is missing, and must not be a link
   * @throws MediaError `save` with the reason
   */
  check(appendTo?: string): Promise<void>;
  /** Writes a new file and flushes it to disk. Rejects if the name is taken. If writing fails, removes the file. */
  create(name: string, data: AsyncIterable<Uint8Array>): Promise<CreatedFile>;
  /**
   * Gives a created file its final name and flushes the folder to disk.
   *
   * @returns false, without any change, if that name is taken
   * @throws MediaError `save` if another process has replaced or changed the created file
   */
  moveIfAbsent(created: CreatedFile, to: string): Promise<boolean>;
  /**
   * Replaces another file by a created one atomically, so that readers get either the old or the new content.
   *
   * @param content expected content of the other file
   * @returns false, without any change, if that file is missing or has other content
   * @throws MediaError `save` if another process has replaced or changed the created file
   */
  replace(created: CreatedFile, name: string, content: FileContent): Promise<boolean>;
  /**
   * Appends whole lines and flushes them to disk. Creates the file if it is missing. Lines of other processes never get
   * between the lines of `text`. If a write is incomplete, appends `text` again: readers must expect duplicate, cut and
   * empty lines.
   *
   * @param text lines, each with a line break; may be empty
   */
  append(name: string, text: string): Promise<void>;
  /** Reads a file from a position on, or its last `-from` bytes if it is negative; undefined if it is missing. */
  read(name: string, from?: number): Promise<Uint8Array | undefined>;
  /** Streams a file; rejects if it is missing. The file is open only while it is read. */
  stream(name: string): AsyncIterable<Uint8Array>;
  /** Returns the size of a file in bytes; undefined if it is missing. */
  size(name: string): Promise<number | undefined>;
  /** Returns the names of the files in the folder, without links and subfolders; empty if the folder is missing. */
  list(): Promise<readonly string[]>;
  /** Removes a file if it exists. */
  remove(name: string): Promise<void>;
  uriOf(name: string): string;
}

/**
 * Whether a folder has a file with this name and content. After a crash, this shows whether a result got its final
 * name.
 */
export async function hasFile(
  folder: Pick<Folder, 'size' | 'stream'>,
  name: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): Promise<boolean> {
  return (await folder.size(name)) === bytes && (await sha256OfStream(folder.stream(name))) === sha256;
}
