import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Result } from '../ResultStore.ts';
import type { Exchange } from '../SandboxContext.ts';
import { SandboxError } from './SandboxError.ts';

const mediaTypes = { png: 'image/png', mp4: 'video/mp4' } as const;

/** Answers GET or HEAD with the whole result or one byte range. @throws SandboxError 416 for a range beyond the end */
export async function sendResult({ request, response, signal }: Exchange, result: Result): Promise<void> {
  const range = rangeOf(request.headers.range, result.length);
  const { start, end } = range ?? { start: 0, end: result.length - 1 };
  response.writeHead(range ? 206 : 200, {
    'content-type': mediaTypes[result.type],
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(range && { 'content-range': `bytes ${start}-${end}/${result.length}` }),
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(result.path, { start, end }), response, { signal });
}

/** Parses a Range header; `end` is inclusive. Returns undefined if it is missing, invalid or has several ranges. */
function rangeOf(
  header: string | undefined,
  length: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= length) {
    throw new SandboxError(416, `The requested range starts after the end of the result, which has ${length} bytes.`, {
      headers: { 'content-range': `bytes */${length}` },
    });
  }
  return { start, end };
}
