import * as l10n from '@vscode/l10n';
import type { AttachSource } from '../protocol/messages.ts';
import { maxDropBytes } from '../protocol/messages.ts';

/** The types under which VS Code transfers URIs: the first holds all of them, the second only one. */
const uriTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/**
 * Reads the files of a drop or a paste. Returns an empty list if it holds only text.
 *
 * @throws Error that names the file that is too large
 */
export async function takeTransfer(data: DataTransfer): Promise<readonly AttachSource[]> {
  // The browser empties the transfer after the first `await`.
  const files = [...data.files];
  const uriList = uriTypes.map((type) => data.getData(type)).find((list) => list !== '') ?? '';
  const uris = uriList.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (uris.length > 0) return [{ from: 'uris', uris: uris.slice(0, 100) }];
  const large = files.find(({ size }) => size > maxDropBytes);
  if (large) throw new Error(l10n.t('{0} is too large to drop here. Use “Attach…” instead.', large.name));
  return Promise.all(
    files.map(async (file) => ({
      from: 'bytes' as const,
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** Whether a drag may hold files. Browsers reveal its contents only on drop. */
export function mayHoldFiles({ types }: DataTransfer): boolean {
  return types.includes('Files') || uriTypes.some((type) => types.includes(type));
}
