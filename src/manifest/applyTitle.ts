import * as l10n from '@vscode/l10n';
import { describeAmount } from '../operations/amounts.ts';
import { chosenOf } from './applyAssets.ts';
import type { Evaluated } from './Evaluation.ts';
import { totalOf } from './plan.ts';

/**
 * Returns the label of the action that makes one entry: what the entry costs by itself, and what its sources cost that
 * are made first. Together these are the requests that apply would send.
 */
export function applyTitle({ entry, pending, quantities }: Evaluated, all: readonly Evaluated[]): string {
  const own =
    quantities.requests === 0
      ? l10n.t('Make (free)')
      : l10n.t('Generate ({0})', describeAmount('requests', quantities.requests));
  if (pending.length === 0) return own;
  const entries = all.map((one) => one.entry);
  const chosen = chosenOf({ manifest: { file: '', folder: '', entries, patterns: [] } }, [entry.path]);
  const { requests } = totalOf(all.filter((one) => one.entry !== entry && chosen.has(one.entry)));
  const others = requests === 0 ? l10n.t('free') : describeAmount('requests', requests);
  return pending.length === 1
    ? l10n.t('{0} with its source ({1})', own, others)
    : l10n.t('{0} with its sources ({1})', own, others);
}
