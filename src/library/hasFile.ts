import { createHash } from 'node:crypto';
import { free } from '../operations/freeMemory.ts';
import type { Folder } from './Folder.ts';

/**
 * Whether a folder has a file with this name and content. After a crash, this shows whether a result got its final
 * name.
 */
export async function hasFile(
  folder: Pick<Folder, 'size' | 'stream'>,
  name: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): Promise<boolean> {
  if ((await folder.size(name)) !== bytes) return false;
  const hash = createHash('sha256');
  for await (const chunk of folder.stream(name)) {
    hash.update(chunk);
    free(chunk);
  }
  return hash.digest('hex') === sha256;
}
