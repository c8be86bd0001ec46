import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { giveAway } from '../operations/freeMemory.ts';

/**
 * Decompresses the body of a response: some services compress although they are asked not to. The chunks are given away.
 *
 * @param body bytes on the wire
 */
export async function* decoded(
  { headers }: Dispatcher.ResponseData,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoder = decoderOf(String(headers['content-encoding'] ?? '').toLowerCase());
  const chunks: AsyncIterable<Uint8Array> = decoder ? pipeline(body, decoder, () => undefined) : body;
  for await (const chunk of chunks) yield giveAway(chunk);
}

function decoderOf(encoding: string) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}
