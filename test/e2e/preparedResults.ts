// Results that a window begins with: records and files as a job leaves them. Clicking for each would cost seconds.
import { createHash } from 'node:crypto';
import { encode } from 'fast-png';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { operations } from '../../src/operations/operations.ts';
import { RenderWorker } from '../../src/sandbox/RenderWorker.ts';

/** Path of the library in its workspace. */
export const libraryFile = '.unified-media/library.jsonl';

interface Prepared {
  readonly record: Omit<LibraryRecord, 'createdAt'> & { readonly file: string };
  readonly bytes: Uint8Array;
}

/** What is special about a result. */
type Facts = Partial<LibraryRecord>;

/** Returns a result of the sandbox. Its file is named after its prompt, unless the facts say otherwise. */
export function prepared(
  prompt: string | undefined,
  bytes: Uint8Array,
  mediaType: string,
  facts: Facts = {},
): Prepared {
  const { operation = 'generateImage' } = facts;
  const { result: kind } = operations[operation];
  const name = (prompt ?? '').toLowerCase().replace(/\W+/g, '-').replace(/-$/, '');
  const [, extension = ''] = mediaType.split('/');
  const file = `media/${kind}/${name}.${extension}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const made = { kind, operation, model: 'sandbox-1', sandbox: true, jobId: file } as const;
  const words = prompt === undefined ? {} : { prompt };
  return { record: { ...made, ...words, file, mediaType, bytes: bytes.length, sha256, ...facts }, bytes };
}

/** Returns a picture of 96 × 64 pixels in a colour of its own. */
export function preparedImage(prompt: string, facts: Facts = {}): Prepared {
  const colour = createHash('sha256').update(`${prompt} ${facts.file}`).digest().subarray(0, 3);
  const data = Uint8Array.from({ length: 96 * 64 * 3 }, (_, at) => colour[at % 3] ?? 0);
  return prepared(prompt, encode({ width: 96, height: 64, channels: 3, data }), 'image/png', facts);
}

/** Returns a video with a box of its own behind the film. */
export function preparedVideo(prompt: string, film: Uint8Array, facts: Facts = {}): Prepared {
  const box = Buffer.concat([Buffer.from('\0\0\0\0free', 'latin1'), Buffer.from(prompt)]);
  box.writeUInt32BE(box.length);
  const ids = { operation: 'generateVideo', videoId: `video of ${prompt}` } as const;
  return prepared(prompt, Buffer.concat([film, box]), 'video/mp4', { ...ids, ...facts });
}

/** Paints a film that can be played. */
export async function makeFilm(seconds: number): Promise<Uint8Array> {
  const painter = new RenderWorker();
  const record = { id: 'v', model: 'm', created: 0, prompt: 'A fox', image: null, remixes: [], remixedFrom: null };
  try {
    return await painter.run('makeVideo', { record, image: undefined, seconds }, new AbortController().signal);
  } finally {
    await painter.close();
  }
}

/**
 * Returns the files of a workspace with these results, oldest first.
 *
 * @param before lines of the library that are there already
 * @param end when the newest was made; the others were a second apart
 */
export function withResults(
  results: readonly Prepared[],
  before = '',
  end = Date.now(),
): Readonly<Record<string, string | Uint8Array>> {
  const records = results.map(({ record }, index) => ({
    ...record,
    createdAt: new Date(end - (results.length - index) * 1000).toISOString(),
  }));
  return {
    ...Object.fromEntries(results.map(({ record, bytes }) => [record.file, bytes])),
    [libraryFile]: before + records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  };
}
