/** The message is the rest of a sentence that starts with the image. */
export class UnreachablePicture extends Error {
  override readonly name = 'UnreachablePicture';
}

export interface FetchLimits {
  /** Timeout for the whole download, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const maxRedirects = 5;

/**
 * Downloads an http(s) URL.
 *
 * @throws UnreachablePicture; the signal's reason when it aborts
 */
export async function fetchPicture(url: string, limits: FetchLimits, signal: AbortSignal): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await follow(url, AbortSignal.any([signal, timeout]));
    return await bodyOf(response, limits.maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreachablePicture) throw error;
    if (timeout.aborted) throw new UnreachablePicture(`was not downloaded within ${limits.timeoutMs / 1000} s`);
    throw new UnreachablePicture(`cannot be downloaded: ${causeOf(error)}`);
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
      throw new UnreachablePicture('cannot be downloaded: its URL redirects to one that is not http(s)');
    }
    url = next.href;
  }
  throw new UnreachablePicture(`cannot be downloaded: its URL redirects more than ${maxRedirects} times`);
}

async function bodyOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new UnreachablePicture(`cannot be downloaded: its URL returns HTTP status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new UnreachablePicture(`has more than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

/** fetch only says "fetch failed"; the reason is in `cause`. */
function causeOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}
