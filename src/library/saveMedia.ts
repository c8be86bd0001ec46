import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaType } from '../operations/mediaType.ts';
import { detectMediaType, fitsKind, headBytes } from '../operations/mediaType.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { Folder } from './Folder.ts';
import { numberedName } from './fileName.ts';

export interface SavedFile {
  /** Its name in the folder. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface SaveMediaOptions {
  /** The wanted name, without extension. */
  readonly name: string;
  readonly kind: AssetKind;
  /** Names the temporary file, so that one which a crash left is replaced when the same medium is saved again. */
  readonly id: string;
  /** Of text that we wrote ourselves; all else is told from its bytes. */
  readonly type?: MediaType | undefined;
  /** What the service calls it: believed only for sound without a signature, such as raw PCM. */
  readonly announced?: string | undefined;
}

/** Data that computes its own hash: hexadecimal, of all that has been read of it. */
export interface HashedData extends AsyncIterable<Uint8Array> {
  sha256(): string;
}

/**
 * Saves a medium under a name of its own: streamed to a hidden temporary file and given its final name when complete.
 * The type, and so the extension, comes from the bytes; an existing file is never replaced.
 *
 * @throws MediaError `download` when the bytes are not of the promised kind, `save` when they cannot be written;
 *   other errors of `data` pass. No file stays behind, but a complete one that could not be named: the error says where.
 */
export async function saveMedia(
  folder: Folder,
  data: AsyncIterable<Uint8Array> | HashedData,
  options: SaveMediaOptions,
): Promise<SavedFile> {
  const temporary = `.${options.id}.part`;
  const measured = measure(data);
  let type: MediaType;
  try {
    await folder.remove(temporary);
    await createFile(folder, temporary, measured.data);
    type = await typeOf(measured.result(), options);
  } catch (error) {
    // The first failure is the one to tell; a folder that is gone cannot be tidied.
    await folder.remove(temporary).catch(() => undefined);
    throw error;
  }
  const { bytes, sha256 } = measured.result();
  const name = await takeName(folder, temporary, options.name, type.extension);
  return { name, mediaType: type.mime, bytes, sha256 };
}

async function createFile(folder: Folder, name: string, data: AsyncIterable<Uint8Array>): Promise<void> {
  let broken: unknown;
  const watched = rethrowing(data, (error) => (broken = error));
  try {
    await folder.create(name, watched);
  } catch (error) {
    if (error === broken) throw error;
    await finish(data);
    const sentence = l10n.t('The result cannot be saved in {0}: {1}.', folder.uri, reasonOf(error));
    throw new MediaError('save', sentence, { cause: error });
  }
}

/** Ends data that nobody reads any more, so that its connection is closed. */
async function finish(data: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of data) break;
  } catch {
    // It has ended, which is what was wanted.
  }
}

/** Remembers which failures came from the data and not from the folder. */
async function* rethrowing(data: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  try {
    yield* data;
  } catch (error) {
    onError(error);
    throw error;
  }
}

async function takeName(folder: Folder, temporary: string, baseName: string, extension: string): Promise<string> {
  try {
    for (let number = 1; ; number++) {
      const name = numberedName(baseName, extension, number);
      if (await folder.moveIfAbsent(temporary, name)) return name;
    }
  } catch (error) {
    throw new MediaError(
      'save',
      l10n.t(
        'The result is complete but could not be given its name: it is {0} ({1}).',
        folder.uriOf(temporary),
        reasonOf(error),
      ),
      { cause: error },
    );
  }
}

async function typeOf(
  { head, bytes }: Measured,
  { kind, announced, type: written }: SaveMediaOptions,
): Promise<MediaType> {
  if (written) return written;
  const type = await detectMediaType(head);
  if (type && fitsKind(type, kind)) return type;
  const isPcm = !type && bytes > 0 && kind === 'speech' && /^audio\/(pcm|l16|x-pcm|basic)/.test(announced ?? '');
  if (isPcm) return { mime: 'audio/pcm', extension: 'pcm' };
  const found = type?.mime ?? (bytes === 0 ? l10n.t('nothing') : l10n.t('something that is no known media type'));
  throw new MediaError('download', describeMistake(kind, found));
}

function describeMistake(kind: AssetKind, found: string): string {
  switch (kind) {
    case 'images':
      return l10n.t("The service's result is {0} instead of an image. It was not saved.", found);
    case 'speech':
      return l10n.t("The service's result is {0} instead of a sound. It was not saved.", found);
    case 'transcripts':
      return l10n.t("The service's result is {0} instead of a text. It was not saved.", found);
    case 'videos':
      return l10n.t("The service's result is {0} instead of a video. It was not saved.", found);
  }
}

interface Measured {
  /** The first bytes. */
  readonly head: Uint8Array;
  readonly bytes: number;
  readonly sha256: string;
}

/** Passes data on and learns its size, hash and first bytes. */
function measure(data: AsyncIterable<Uint8Array> | HashedData) {
  const hashed = 'sha256' in data ? data : withHash(data);
  const heads: Uint8Array[] = [];
  let bytes = 0;
  async function* passing() {
    for await (const chunk of hashed) {
      if (bytes < headBytes) heads.push(Uint8Array.from(chunk.subarray(0, headBytes - bytes)));
      bytes += chunk.length;
      yield chunk;
    }
  }
  return {
    data: passing(),
    result: (): Measured => ({ head: Buffer.concat(heads), bytes, sha256: hashed.sha256() }),
  };
}

/** Hashes data while it is read: each chunk before it is passed on. */
export function withHash(data: AsyncIterable<Uint8Array>): HashedData {
  const hash = createHash('sha256');
  async function* passing() {
    for await (const chunk of data) {
      hash.update(chunk);
      yield chunk;
    }
  }
  return Object.assign(passing(), { sha256: () => hash.copy().digest('hex') });
}
