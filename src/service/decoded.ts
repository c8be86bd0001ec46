import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** The body of a response; some services compress although they were asked not to. */
export function decoded({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(String(headers['content-encoding'] ?? '').toLowerCase());
  if (!decoder) return body;
  return pipeline(body, decoder, () => undefined) as Readable;
}

function decoderOf(encoding: string) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}
