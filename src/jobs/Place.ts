import type { Folder } from '../library/Folder.ts';
import type { Library } from '../library/Library.ts';

/** Where a job's files and their records go. */
export interface Place {
  readonly folder: Folder;
  readonly library: Library;
  /** Returns a saved file's name in the library: its path in the workspace folder, with forward slashes. */
  recordedName(name: string): string;
  /**
   * Returns the link target for a local file in a Markdown document of this folder, not percent-encoded; undefined when
   * a relative path works.
   */
  linkTo?(file: string): Promise<string | undefined>;
  /**
   * Creates a marker file for an open job when the library is outside the workspace, so that VS Code activates for it.
   */
  announce?(jobId: string): Promise<void>;
  withdraw?(jobId: string): Promise<void>;
}

/** Checks that files and their records can be written. Throws MediaError `save`. */
export async function checkPlace({ folder, library }: Place): Promise<void> {
  await folder.check();
  await library.check();
}

/** Removes the temporary files that interrupted attempts of a job have left in its target folder. */
export async function removeAttempts({ folder }: Place, jobId: string): Promise<void> {
  const names = await folder.list();
  const left = names.filter((name) => name.startsWith(`.${jobId}-`) && name.endsWith('.part'));
  await Promise.all(left.map((name) => folder.remove(name)));
}
