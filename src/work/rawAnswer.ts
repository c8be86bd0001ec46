import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { headOfFile } from '../files/readBytes.ts';
import { saveMedia } from '../library/saveMedia.ts';
import { detectMediaType, headBytes, type MediaType } from '../operations/mediaType.ts';
import { operations } from '../operations/operations.ts';
import type { RawAnswer } from '../service/Answer.ts';
import { type AnswerBody, bytesOf } from '../service/AnswerBody.ts';
import type { Attempt, JobClient } from './Attempt.ts';
import type { JobFacts } from './Job.ts';
import type { Place } from './Place.ts';
import type { RawFile } from './Work.ts';

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
  const head = await headOfFile(path, headBytes);
  const media = await detectMediaType(head);
  if (media) return media;
  const text = head.toString('utf8').trimStart();
  if (/^[[{]/.test(text)) return { mime: 'application/json', extension: 'json' };
  if (/<svg[\s>]/i.test(text)) return { mime: 'image/svg+xml', extension: 'svg' };
  return head.includes(0)
    ? { mime: 'application/octet-stream', extension: 'bin' }
    : { mime: 'text/plain', extension: 'txt' };
}

/** More links than this are documentation, not results. */
const maxLinks = 4;

/**
 * Downloads what an unreadable answer links to before the URLs expire. Skips what cannot be downloaded, since the
 * answer itself is kept anyway.
 */
export async function keepLinked(raw: RawAnswer, client: JobClient, attempt: Attempt): Promise<void> {
  for (const [index, url] of linksIn(raw).entries()) {
    await attempt.work.keepLinked(index, attempt.fetch(url, raw.source, client)).catch(() => undefined);
  }
}

/** Returns the URLs in an answer that is small enough to be in memory, without the marks that end them in a text. */
function linksIn({ body }: RawAnswer): readonly string[] {
  if (!(body instanceof Uint8Array)) return [];
  const text = new TextDecoder().decode(body).replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const found = text.match(/https?:\/\/[^\s"'<>\\]{1,4000}/g) ?? [];
  const links = new Set(found.map((link) => link.replace(link.includes('(') ? /[.,;:!?]$/ : /[\])}.,;:!?]{1,9}$/, '')));
  return links.size > maxLinks ? [] : [...links];
}

export async function* bytesOfBody(body: AnswerBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield Uint8Array.from(body);
  else yield* bytesOf(body);
}
