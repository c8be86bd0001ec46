import { hashOf } from '../files/sha256.ts';
import { matching, object, text } from '../foreign/shape.ts';
import type { OperationId } from '../operations/operations.ts';
import type { Fingerprint } from '../service/MediaClient.ts';

/** The idempotency key that a request was sent under. */
export interface SentKey {
  readonly value: string;
  /** Origin of the host that it was sent to. */
  readonly origin: string;
  /** Id of the job that sent it first. */
  readonly attempt: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a value from disk, perhaps from another computer, has the shape of a key. */
export const isSentKey = object({ value: matching(uuid), origin: text(300), attempt: matching(uuid) });

/** Returns the origin of the host for an operation's requests, if it honours idempotency keys. */
export type KeyOrigin = (operation: OperationId) => string | undefined;

/**
 * Returns the key of a request: a hash, in the form of a UUID, of the id of the job that sends it first, of the address, and
 * of all that is sent, with the content of files. So it is the same in every program and at any time that repeats this
 * attempt, and differs for another body. What is made anew, or after a refusal, is another attempt: its answer must not be
 * the earlier one.
 */
export function sentKey(attempt: string, { origin, sha256 }: Fingerprint): SentKey {
  const hash = hashOf(['idempotency', attempt, sha256]);
  const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return { value: [...groups, hash.slice(20, 32)].join('-'), origin, attempt };
}

/**
 * Whether a request whose outcome is unknown may be sent again without a question: the service that it was sent to
 * honours the key that it was sent under. Before it is sent, {@link repeats} must say that it is the same request.
 *
 * @param sent its key; undefined if it was sent without one
 * @param origin as a {@link KeyOrigin} returns it
 */
export function isRepeatable(sent: SentKey | undefined, origin: string | undefined): sent is SentKey {
  return sent !== undefined && sent.origin === origin;
}

/**
 * Whether a request is the one that was sent under a key. The key is derived again, since one that comes with a folder may
 * be made up.
 *
 * @param found what would be sent now; undefined where no key is sent
 */
export function repeats(sent: SentKey | undefined, found: Fingerprint | undefined): sent is SentKey {
  return isRepeatable(sent, found?.origin) && found !== undefined && sentKey(sent.attempt, found).value === sent.value;
}
