import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { saveMedia } from '../library/saveMedia.ts';
import type { MediaType } from '../operations/mediaType.ts';
import { detectMediaType, headBytes } from '../operations/mediaType.ts';
import { operations } from '../operations/operations.ts';
import type { RawFile } from './JobLog.ts';
import type { JobFacts } from './JobRecord.ts';
import type { Place } from './Place.ts';

/**
 * Copies the raw data that the service sent for a job into a folder. It is not recorded as an asset, because an answer
 * can hold signed URLs.
 *
 * @returns URIs of the files
 * @throws MediaError `save`
 */
export async function saveRawAnswer(
  { operation }: Pick<JobFacts, 'operation'>,
  files: readonly RawFile[],
  { folder }: Pick<Place, 'folder'>,
): Promise<readonly string[]> {
  await folder.check();
  const uris: string[] = [];
  for (const { path, what } of files) {
    const type = await typeOf(path);
    const { name } = await saveMedia(folder, createReadStream(path), {
      name: `${operation}-raw-${what}`,
      kind: operations[operation].result,
      id: `${randomUUID()}-0-raw`,
      type,
    });
    uris.push(folder.uriOf(name));
  }
  return uris;
}

async function typeOf(path: string): Promise<MediaType> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  const media = await detectMediaType(head);
  if (media) return media;
  const text = head.toString('utf8').trimStart();
  if (/^[[{]/.test(text)) return { mime: 'application/json', extension: 'json' };
  if (/<svg[\s>]/i.test(text)) return { mime: 'image/svg+xml', extension: 'svg' };
  return head.includes(0)
    ? { mime: 'application/octet-stream', extension: 'bin' }
    : { mime: 'text/plain', extension: 'txt' };
}
