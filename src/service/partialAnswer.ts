import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { RawAnswer } from './Answer.ts';
import type { Silence } from './arrival.ts';
import { describeArrival } from './arrival.ts';
import { describeFailure } from './errorFromFailure.ts';
import type { ReceivedAnswer } from './receiveAnswer.ts';

/**
 * Keeps the received part of an answer and returns the error that says so.
 *
 * @param keep stores the part; when it rejects, the error says that nothing is kept
 */
export async function keepPartial(
  { raw, failure }: ReceivedAnswer,
  { limit }: Silence,
  host: string,
  keep: ((raw: RawAnswer) => Promise<void>) | undefined,
): Promise<MediaError> {
  const isKept = raw.body.length > 0 && (await wasKept(raw, keep));
  const arrived = describeArrival(raw.partial ?? { bytes: raw.body.length });
  const sentence = [
    limit.error?.message ??
      (failure instanceof MediaError
        ? failure.message
        : l10n.t('The connection to {0} was lost: {1}.', host, describeFailure(failure))),
    isKept
      ? l10n.t('{0} arrived; this part of the answer is kept.', arrived)
      : l10n.t('{0} arrived; none of it is kept.', arrived),
    l10n.t('The service may have done the work and may bill it.'),
  ];
  const kind = limit.error?.kind ?? (failure instanceof MediaError ? failure.kind : 'network');
  const { status, requestId } = raw;
  return new MediaError(kind, sentence.join(' '), { status, requestId, mayBeBilled: true, cause: failure });
}

async function wasKept(raw: RawAnswer, keep: ((raw: RawAnswer) => Promise<void>) | undefined): Promise<boolean> {
  try {
    await keep?.(raw);
    return keep !== undefined;
  } catch {
    return false;
  }
}
