import { fileURLToPath } from 'node:url';
import type { Folder } from '../files/Folder.ts';
import { differencesOf, type Expectation, type Measured } from '../library/differences.ts';
import type { Asset, Difference } from '../library/LibraryRecord.ts';

/** Larger pictures are not measured, because measuring holds them in memory. In bytes. */
const maxPictureBytes = 64_000_000;
/** A recording that is not read in this time is not measured. In milliseconds without progress. */
const quietMs = 5000;

/**
 * Compares a saved file with what was asked for. Measures it on a worker thread, if that is needed.
 *
 * @returns the differences; undefined if there are none, or it cannot be measured. Never rejects: the file is paid for.
 */
export async function differencesIn(
  asset: Pick<Asset, 'uri' | 'kind' | 'mediaType' | 'bytes'>,
  name: string,
  expectations: readonly Expectation[],
  { folder, signal = new AbortController().signal }: { readonly folder: Folder; readonly signal?: AbortSignal },
): Promise<readonly Difference[] | undefined> {
  const { mediaType } = asset;
  const needsContent = expectations.some((one) => one.needsContent);
  const content = needsContent ? await contentOf(asset, name, folder, signal).catch(() => undefined) : undefined;
  return differencesOf(expectations, { mediaType, ...content });
}

/** Returns the length of a recording in seconds; undefined if it cannot be measured. Never rejects. */
export async function secondsOf(path: string): Promise<number | undefined> {
  return (await examined(path, new AbortController().signal).catch(() => undefined))?.seconds;
}

async function contentOf(
  { uri, kind, bytes }: Pick<Asset, 'uri' | 'kind' | 'bytes'>,
  name: string,
  folder: Folder,
  signal: AbortSignal,
): Promise<Omit<Measured, 'mediaType'> | undefined> {
  if (kind === 'images') {
    const file = bytes <= maxPictureBytes ? await folder.read(name) : undefined;
    const { measureImage } = await import('../images/transformImage.ts');
    const facts = file && (await measureImage(file, signal));
    return facts && { size: facts, transparent: facts.transparent };
  }
  // The reader needs a file on disk.
  if (!uri.startsWith('file:')) return undefined;
  const found = await examined(fileURLToPath(uri), signal);
  return found && { ...found, channels: found.sound?.channels ?? 0 };
}

async function examined(file: string, signal: AbortSignal) {
  const { readRecording } = await import('../sound/readRecording.ts');
  const found = await readRecording({ type: 'examine', file }, { signal, quietMs });
  return found.type === 'examined' && found.seconds > 0 ? found : undefined;
}
