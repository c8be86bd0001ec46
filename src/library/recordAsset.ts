import type { Asset } from './Asset.ts';
import type { Folder } from './Folder.ts';

export const libraryFileName = 'library.jsonl';

/** One line of the library: an asset whose file is named relative to the workspace folder. */
export interface LibraryRecord extends Omit<Asset, 'uri'> {
  /** Relative to the workspace folder, with forward slashes. */
  readonly file: string;
  /** True for what the sandbox made. */
  readonly sandbox?: true;
}

/**
 * Adds an asset to the library: one JSON object a line, append-only, so that two windows or two branches can be merged.
 *
 * @param folder `.unified-media` of the workspace folder
 */
export async function recordAsset(folder: Folder, record: LibraryRecord): Promise<void> {
  await folder.append(libraryFileName, `${JSON.stringify(record)}\n`);
}
