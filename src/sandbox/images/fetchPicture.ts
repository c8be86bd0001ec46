/** What went wrong is the rest of a sentence that starts with the image. */
export class UnreachablePicture extends Error {
  override readonly name = 'UnreachablePicture';
}

export interface FetchLimits {
  /** Milliseconds for all of it. */
  readonly time: number;
  /** Bytes. */
  readonly size: number;
}

const maxRedirects = 5;

/**
 * Gets the bytes behind an http(s) URL.
 *
 * @throws UnreachablePicture; the signal's reason when it aborts
 */
export async function fetchPicture(url: string, limits: FetchLimits, signal: AbortSignal): Promise<Uint8Array> {
  const late = AbortSignal.timeout(limits.time);
  try {
    const response = await follow(url, AbortSignal.any([signal, late]));
    return await bodyOf(response, limits.size);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreachablePicture) throw error;
    if (late.aborted) throw new UnreachablePicture(`did not come within ${limits.time / 1000} s`);
    throw new UnreachablePicture(`cannot be fetched: ${causeOf(error)}`);
  }
}

async function follow(first: string, signal: AbortSignal): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'image/*' } });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (next?.protocol !== 'http:' && next?.protocol !== 'https:') {
      throw new UnreachablePicture('cannot be fetched: its URL leads to one that is not http(s)');
    }
    url = next.href;
  }
  throw new UnreachablePicture(`cannot be fetched: its URL leads on more than ${maxRedirects} times`);
}

async function bodyOf(response: Response, size: number): Promise<Uint8Array> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new UnreachablePicture(`cannot be fetched: its URL answers ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > size) throw new UnreachablePicture(`has more than ${size} bytes`);
  }
  return Buffer.concat(chunks);
}

/** fetch says "fetch failed"; why is one level deeper. */
function causeOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}
