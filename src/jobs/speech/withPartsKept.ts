import * as l10n from '@vscode/l10n';
import { MediaError } from '../../operations/MediaError.ts';

/** A failure after parts were paid for. */
export function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t('{0} The parts already spoken are kept; you will not pay for them again.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}
