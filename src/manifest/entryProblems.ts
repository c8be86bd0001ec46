import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { requestOf } from './describeRequest.ts';
import type { Waiting } from './Evaluated.ts';
import type { RequestEntry } from './Manifest.ts';

/** Returns what an earlier run left, as a reason. */
export function reasonFor(waiting: Waiting): string {
  switch (waiting) {
    case 'unknown':
      return l10n.t('its request was sent before, the outcome is unknown, and it may be billed');
    case 'unusable':
      return l10n.t('the answer is paid for, but could not be used');
    case 'running':
      return l10n.t('another program is working on it');
    default:
      return l10n.t('the result is paid for and only has to be saved');
  }
}

/** Returns why a request would be invalid, such as a recording in an unsupported format. */
export function requestProblem(
  entry: RequestEntry,
  model = '',
  videoId: string | undefined,
  folder: string,
): string | undefined {
  if (entry.document !== undefined) return undefined;
  try {
    requestOf(entry, { model, videoId }, folder);
    return undefined;
  } catch (error) {
    return sentenceOf(error);
  }
}

/** Returns the error for a manifest, or an asset of it, that another process works on. */
export function inUse(): MediaError {
  return new MediaError(
    'invalidInput',
    l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
  );
}

export function noModelFor({ operation }: RequestEntry): string {
  return l10n.t('The entry has no model. Set one in the entry or in the defaults of {0}.', operation);
}

export function sentenceOf(error: unknown): string {
  if (error instanceof MediaError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
