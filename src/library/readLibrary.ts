import type { Folder } from './Folder.ts';
import type { LibraryRecord } from './recordAsset.ts';
import { libraryFileName } from './recordAsset.ts';

/**
 * All records of a library, oldest first. A damaged line is left out, and nothing but it.
 *
 * @param folder `.unified-media` of the workspace folder
 */
export async function readLibrary(folder: Folder): Promise<readonly LibraryRecord[]> {
  const text = await folder.read(libraryFileName);
  return (text ?? '').split('\n').flatMap((line) => {
    const record = parseRecord(line);
    return record ? [record] : [];
  });
}

function parseRecord(line: string): LibraryRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isRecord = typeof value === 'object' && value !== null && 'file' in value && 'operation' in value;
    return isRecord ? (value as LibraryRecord) : undefined;
  } catch {
    return undefined;
  }
}
