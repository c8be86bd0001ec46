import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { requestOf } from './describeRequest.ts';
import type { Waiting } from './Evaluated.ts';
import type { RequestEntry } from './Manifest.ts';

/** What an earlier run has left, as a reason. */
export function wordsFor(waiting: Waiting): string {
  return waiting === 'unknown'
    ? l10n.t('its request was out when the program ended, and may be billed')
    : l10n.t('it is paid for and only has to be saved');
}

/** What the service would not take, such as a recording of another format. */
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
  return l10n.t('It has no model: name one in the entry, or in the defaults of {0}.', operation);
}

export function sentenceOf(error: unknown): string {
  if (error instanceof MediaError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
