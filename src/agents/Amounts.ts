import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';

/** The quantities that the budget limits, each on its own. */
export const amountNames = ['images', 'videos', 'characters', 'minutes'] as const;
export type AmountName = (typeof amountNames)[number];
export type Amounts = Readonly<Record<AmountName, number>>;

export const noAmounts: Amounts = { images: 0, videos: 0, characters: 0, minutes: 0 };

/** The default daily budget. */
export const defaultBudget: Amounts = { images: 20, videos: 0, characters: 20_000, minutes: 60 };

export function sum(a: Amounts, b: Amounts): Amounts {
  return each((name) => rounded(a[name] + b[name]));
}

export function difference(a: Amounts, b: Amounts): Amounts {
  return each((name) => rounded(Math.max(0, a[name] - b[name])));
}

export function smaller(a: Amounts, b: Amounts): Amounts {
  return each((name) => Math.min(a[name], b[name]));
}

/** Whether a limit covers further amounts. An amount of 0 always fits, even if its limit is already exceeded. */
export function fits(limit: Amounts, spent: Amounts, amounts: Amounts): boolean {
  return amountNames.every((name) => amounts[name] === 0 || rounded(spent[name] + amounts[name]) <= limit[name]);
}

/** Decodes amounts from settings or storage. Missing and invalid numbers take the fallback. */
export function readAmounts(value: unknown, fallback: Amounts): Amounts {
  const given: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  return each((name) => {
    const amount = given[name];
    return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : fallback[name];
  });
}

/**
 * Returns the amounts that a request counts as.
 *
 * @param minutes duration of the recording, if one is sent
 */
export function amountsOf(id: OperationId, request: object, minutes: number): Amounts {
  switch (operations[id].result) {
    case 'images':
      return { ...noAmounts, images: 'n' in request && typeof request.n === 'number' ? request.n : 1 };
    case 'videos':
      return { ...noAmounts, videos: 1 };
    case 'speech':
      return { ...noAmounts, characters: 'input' in request ? String(request.input).length : 0 };
    case 'transcripts':
      return { ...noAmounts, minutes: Math.ceil(minutes * 100) / 100 };
  }
}

function each(of: (name: AmountName) => number): Amounts {
  return { images: of('images'), videos: of('videos'), characters: of('characters'), minutes: of('minutes') };
}

/** Rounds to hundredths, in which minutes are counted, so that sums do not drift. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
