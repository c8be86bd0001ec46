import type { OperationId } from '../operations/operations.ts';
import type { RawAnswer } from '../service/Answer.ts';
import type { FetchOptions, OpenResult } from './fetchResult.ts';
import { fetchResult } from './fetchResult.ts';
import type { JobLog } from './JobLog.ts';
import type { SaveOptions } from './saveResults.ts';

/** More links than this are documentation, not results. */
const maxLinks = 4;

interface LinkOptions extends FetchOptions {
  readonly client: SaveOptions['client'];
  readonly log: Pick<JobLog, 'keepLinked'>;
}

/**
 * Downloads what an unreadable answer links to before the URLs expire. Skips what cannot be downloaded, since the answer
 * itself is kept anyway.
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

/** Returns the URLs in an answer that is small enough to be in memory. */
function linksIn({ body }: RawAnswer): readonly string[] {
  if (!(body instanceof Uint8Array)) return [];
  const text = new TextDecoder().decode(body).replaceAll('\\/', '/').replaceAll('\\u0026', '&');
  const links = new Set(text.match(/https?:\/\/[^\s"'<>\\]{1,4000}/g));
  return links.size > maxLinks ? [] : [...links];
}
