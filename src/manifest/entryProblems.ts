import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { requestOf } from './describeRequest.ts';
import type { Waiting } from './Evaluated.ts';
import type { RequestEntry } from './Manifest.ts';

/** Returns what an earlier run left, as a reason. */
export function reasonFor(waiting: Waiting): string {
  return waiting === 'unknown'
    ? l10n.t('the program ended while its request was running, and the request may be billed')
    : l10n.t('the result is paid for and only has to be saved');
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

export function noModelFor({ operation }: RequestEntry): string {
  return l10n.t('The entry has no model. Set one in the entry or in the defaults of {0}.', operation);
}

export function sentenceOf(error: unknown): string {
  if (error instanceof MediaError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
