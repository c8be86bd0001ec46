import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { giveAway } from '../operations/freeMemory.ts';

/**
 * Decompresses the body of a response: some services compress although they are asked not to. The chunks are given
 * away.
 *
 * @param body bytes on the wire
 */
export async function* decoded(
  { statusCode, headers }: Dispatcher.ResponseData,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase();
  const chunks = isKnown(encoding) ? decompressed(encoding, body, statusCode === 206) : body;
  for await (const chunk of chunks) yield giveAway(chunk);
}

function isKnown(encoding: string): boolean {
  return ['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding);
}

async function* decompressed(
  encoding: string,
  body: AsyncIterable<Uint8Array>,
  isPart: boolean,
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const head = await headOf(source);
  const whole = joined(head, source);
  const decoder = head.length === 0 ? undefined : decoderOf(encoding, head, isPart);
  const chunks: AsyncIterable<Uint8Array> = decoder ? pipeline(whole, decoder, () => undefined) : whole;
  yield* chunks;
}

/** @param isPart whether the body is a range, which must not be taken for an uncompressed one */
function decoderOf(encoding: string, head: Uint8Array, isPart: boolean) {
  const [first = 0, second = 0] = head;
  if (encoding === 'br') return createBrotliDecompress();
  // Many servers leave out the zlib header.
  if (encoding === 'deflate') {
    return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? createInflate() : createInflateRaw();
  }
  // Some name an encoding that they do not apply; the answer may be paid for.
  return isPart || (first === 0x1f && second === 0x8b) ? createGunzip() : undefined;
}

/** Reads at least the two bytes that tell the format, or everything. */
async function headOf(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 2) {
    const { done, value } = await source.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
}

async function* joined(head: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
