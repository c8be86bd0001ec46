import { extensionOf } from '../operations/fileExtensions.ts';
import { hashOf } from './FileHashes.ts';
import type { Entry } from './Manifest.ts';

/** What is done with a picture on this machine, as hashes; nothing for an entry that is saved as the service made it. */
export function describeLocal(
  { type, path, size, quality }: Entry,
  source?: string,
): { readonly local: string | undefined; readonly inputs: Readonly<Record<string, string>> } {
  if (type === 'request' && !size && quality === undefined) return { local: undefined, inputs: {} };
  const format = extensionOf(path);
  const inputs = {
    ...(size ? { size: hashOf([size]).slice(0, 16) } : {}),
    ...(quality === undefined ? {} : { quality: hashOf([quality]).slice(0, 16) }),
  };
  return { local: hashOf({ source, size, format, quality }), inputs };
}
