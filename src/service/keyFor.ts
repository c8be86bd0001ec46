import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';

/** Returns the key for an origin, which is sent only there; undefined when there is none. Rejects when keys cannot be read. */
export type KeySource = (origin: string) => string | undefined | Promise<string | undefined>;

/**
 * Returns the key to send to a URL.
 *
 * @throws MediaError `noKey` when its origin has none, or when it cannot be sent in a header
 */
export async function keyFor({ origin }: URL, source: KeySource): Promise<string> {
  const key = await source(origin);
  if (!key) throw new MediaError('noKey', l10n.t('There is no API key for {0}.', origin));
  // A header can hold visible ASCII only.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const sentence = l10n.t('The API key contains spaces or characters that cannot be sent. Set it again.');
    throw new MediaError('noKey', sentence);
  }
  return key;
}
