import { createHash, randomUUID } from 'node:crypto';
import { MediaError } from '../operations/MediaError.ts';
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

/**
 * Saves a medium under a name of its own: streamed to a hidden temporary file and given its final name when complete.
 * The type, and so the extension, comes from the bytes; an existing file is never replaced.
 *
 * @throws MediaError `download` when the bytes are not of the promised kind, `save` when they cannot be written;
 *   other errors of `data` pass. No file stays behind.
 */
export async function saveMedia(
  folder: Folder,
  baseName: string,
  kind: AssetKind,
  data: AsyncIterable<Uint8Array>,
): Promise<SavedFile> {
  const temporary = `.${randomUUID()}.part`;
  const measured = measure(data);
  try {
    await createFile(folder, temporary, measured.data);
    const { head, bytes, sha256 } = measured.result();
    const type = await checkType(head, kind, bytes);
    const name = await takeName(folder, temporary, baseName, type.extension);
    return { name, mediaType: type.mime, bytes, sha256 };
  } catch (error) {
    // The first failure is the one to tell; a folder that is gone cannot be tidied.
    await folder.remove(temporary).catch(() => undefined);
    throw error;
  }
}

async function createFile(folder: Folder, name: string, data: AsyncIterable<Uint8Array>): Promise<void> {
  let broken: unknown;
  try {
    await folder.create(
      name,
      rethrowing(data, (error) => (broken = error)),
    );
  } catch (error) {
    if (error === broken) throw error;
    throw saveError(folder, error);
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
    throw saveError(folder, error);
  }
}

async function checkType(head: Uint8Array, kind: AssetKind, bytes: number): Promise<MediaType> {
  const type = await detectMediaType(head);
  if (type && fitsKind(type, kind)) return type;
  const found = type?.mime ?? (bytes === 0 ? 'nothing' : 'something that is no known media type');
  throw new MediaError('download', `The service's result is ${found} instead of ${nouns[kind]}. It was not saved.`);
}

const nouns: Readonly<Record<AssetKind, string>> = {
  images: 'an image',
  speech: 'a sound',
  transcripts: 'a text',
  videos: 'a video',
};

function saveError(folder: Folder, error: unknown): MediaError {
  const reason = error instanceof Error ? error.message : String(error);
  return new MediaError('save', `The result cannot be saved in ${folder.uri}: ${reason}.`, { cause: error });
}

/** Passes data on and learns its size, hash and first bytes. */
function measure(data: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  const heads: Uint8Array[] = [];
  let bytes = 0;
  async function* passing() {
    for await (const chunk of data) {
      if (bytes < headBytes) heads.push(chunk.subarray(0, headBytes - bytes));
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  return {
    data: passing(),
    result: () => ({ head: Buffer.concat(heads), bytes, sha256: hash.digest('hex') }),
  };
}
