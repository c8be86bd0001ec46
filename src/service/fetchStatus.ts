import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import type { RawAnswer } from './Answer.ts';
import { answerFacts } from './answerFacts.ts';
import { decoded } from './decoded.ts';

interface StatusOptions {
  readonly authorization: string;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

/** Some services send the video itself once it is done. */
const maximumBytes = 512 * 1024 * 1024;

/** Gets the answer of a URL as it is. */
export async function fetchStatus(url: URL, { authorization, dispatcher, signal }: StatusOptions): Promise<RawAnswer> {
  const response = await httpRequest(url, {
    headers: { authorization, accept: '*/*', 'accept-encoding': 'identity' },
    dispatcher,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of decoded(response)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maximumBytes)
      throw new MediaError('unreadableAnswer', 'The status of the video is larger than 512 MiB.');
  }
  return { ...answerFacts(response), body: Buffer.concat(chunks) };
}
