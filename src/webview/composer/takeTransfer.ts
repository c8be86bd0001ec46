import * as l10n from '@vscode/l10n';
import type { AttachSource } from '../protocol/messages.ts';
import { largestDrop } from '../protocol/messages.ts';

/** Addresses from elsewhere in the editor: the first type holds all of them, the second one alone. */
const addressTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/**
 * What was dropped or pasted, as the host takes it; none when it is only text.
 *
 * @throws Error that says what is too large
 */
export async function takeTransfer(data: DataTransfer): Promise<readonly AttachSource[]> {
  // The transfer is empty after the first pause.
  const files = [...data.files];
  const addresses = addressTypes.map((type) => data.getData(type)).find((list) => list !== '') ?? '';
  const uris = addresses.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (uris.length > 0) return [{ from: 'uris', uris: uris.slice(0, 100) }];
  const large = files.find(({ size }) => size > largestDrop);
  if (large) throw new Error(l10n.t('{0} is too large to be dropped here: use “Attach…”.', large.name));
  return Promise.all(
    files.map(async (file) => ({
      from: 'bytes' as const,
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** Whether files may be in what is dragged: what exactly is known only when it is dropped. */
export function mayHoldFiles({ types }: DataTransfer): boolean {
  return types.includes('Files') || addressTypes.some((type) => types.includes(type));
}
