import * as vscode from 'vscode';
import type { Evaluated } from '../../manifest/Evaluated.ts';
import type { PlanEntry } from '../../manifest/plan.ts';

/** Returns a state in words. */
export function stateTitle(state: PlanEntry['state']): string {
  switch (state) {
    case 'fresh':
      return vscode.l10n.t('fresh');
    case 'missing':
      return vscode.l10n.t('missing');
    case 'stale':
      return vscode.l10n.t('stale');
    case 'changed':
      return vscode.l10n.t('changed by hand');
    case 'unlocked':
      return vscode.l10n.t('unlocked');
    case 'orphan':
      return vscode.l10n.t('orphan');
  }
}

/** Returns an entry's state with its reasons, such as `stale: prompt changed`. */
export function titleOf({ state, reasons }: Pick<Evaluated, 'state' | 'reasons'>): string {
  return reasons.length === 0 ? stateTitle(state) : `${stateTitle(state)}: ${reasons.join(', ')}`;
}
