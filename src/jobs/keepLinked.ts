import type { OperationId } from '../operations/operations.ts';
import type { RawAnswer } from '../service/Answer.ts';
import type { FetchOptions, OpenResult } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobLog } from './JobLog.ts';
import type { SaveOptions } from './saveResults.ts';

/** More addresses than this are documentation, not results. */
const maximumLinks = 4;

interface LinkOptions extends FetchOptions {
  readonly client: SaveOptions['client'];
  readonly log: Pick<JobLog, 'keepLinked'>;
}

/**
 * Keeps what an answer that is not understood links to, before its addresses expire. What cannot be fetched is left out:
 * the answer itself is kept in any case.
 */
export async function keepLinked(operation: OperationId, raw: RawAnswer, options: LinkOptions): Promise<void> {
  for (const [index, url] of linksIn(raw).entries()) {
    const open: OpenResult = (from, version) =>
      options.client.download(operation, url, raw.source, {
        signal: options.signal,
        onProgress: options.onProgress,
        from,
        version,
      });
    await options.log.keepLinked(index, fetchResult(open, options)).catch(() => undefined);
  }
}

/** The addresses in an answer that is a text small enough to be in memory. */
function linksIn({ body }: RawAnswer): readonly string[] {
  if (!(body instanceof Uint8Array)) return [];
  const text = new TextDecoder().decode(body).replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const links = new Set(text.match(/https?:\/\/[^\s"'<>\\]{1,4000}/g));
  return links.size > maximumLinks ? [] : [...links];
}
