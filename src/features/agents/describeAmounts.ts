import * as vscode from 'vscode';
import type { AmountName, Amounts } from '../../agents/Amounts.ts';
import { amountNames } from '../../agents/Amounts.ts';

/** Returns a count with its unit, such as `3 images`. */
export function describeAmount(name: AmountName, count: number): string {
  switch (name) {
    case 'images':
      return count === 1 ? vscode.l10n.t('1 image') : vscode.l10n.t('{0} images', count);
    case 'videos':
      return count === 1 ? vscode.l10n.t('1 video') : vscode.l10n.t('{0} videos', count);
    case 'characters':
      return vscode.l10n.t('{0} characters of speech', count);
    case 'minutes':
      return vscode.l10n.t('{0} minutes of recordings', count);
  }
}

/** Describes all counts above zero. */
export function describeAmounts(amounts: Amounts): string {
  return amountNames
    .filter((name) => amounts[name] > 0)
    .map((name) => describeAmount(name, amounts[name]))
    .join(', ');
}

/** Describes what is left of the amounts that a request needs. */
export function describeLeft(needed: Amounts, left: Amounts): string {
  return amountNames
    .filter((name) => needed[name] > 0)
    .map((name) => describeAmount(name, left[name]))
    .join(', ');
}
