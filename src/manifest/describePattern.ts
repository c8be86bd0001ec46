import * as l10n from '@vscode/l10n';
import { describeAmount } from '../operations/amounts.ts';
import type { Evaluated } from './Evaluation.ts';
import { totalOf } from './plan.ts';

/**
 * Describes the narrations of a pattern, such as `3 of 6 narrations, 5 paragraphs, 412 characters`: how many are to be
 * made, and what is to be spoken for them.
 *
 * @param language that numbers are written in; that of the system if absent
 */
export function describePattern(
  all: readonly Pick<Evaluated, 'state' | 'action' | 'quantities'>[],
  language?: string,
): string {
  if (all.length === 0) return l10n.t('no document matches');
  const made = all.filter(({ action }) => action !== 'none');
  if (made.length > 0) {
    const { requests, characters } = totalOf(made);
    const narrations = l10n.t('{0} of {1} narrations', made.length, all.length);
    if (requests === 0) return narrations;
    const paragraphs =
      requests === 1 ? l10n.t('1 paragraph') : l10n.t('{0} paragraphs', requests.toLocaleString(language));
    return [narrations, paragraphs, describeAmount('characters', characters, language)].join(', ');
  }
  const fresh = all.filter(({ state }) => state === 'fresh').length;
  return l10n.t('fresh: {0} of {1} narrations', fresh, all.length);
}
