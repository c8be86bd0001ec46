import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';

/** The key for an origin, which is sent nowhere else; undefined when there is none. Rejects when keys cannot be read. */
export type KeySource = (origin: string) => string | undefined | Promise<string | undefined>;

/**
 * The key to send to a URL.
 *
 * @throws MediaError `noKey` when there is none for its origin or it cannot be sent
 */
export async function keyFor({ origin }: URL, source: KeySource): Promise<string> {
  const key = await source(origin);
  if (!key) throw new MediaError('noKey', l10n.t('There is no API key for {0}.', origin));
  // Visible ASCII is all that a header can carry.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const sentence = l10n.t('The API key holds spaces or characters that cannot be sent. Set it again.');
    throw new MediaError('noKey', sentence);
  }
  return key;
}
