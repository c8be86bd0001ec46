import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';

/** What agents may make, each counted by itself. */
export const amountNames = ['images', 'videos', 'characters', 'minutes'] as const;
export type AmountName = (typeof amountNames)[number];
export type Amounts = Readonly<Record<AmountName, number>>;

export const noAmounts: Amounts = { images: 0, videos: 0, characters: 0, minutes: 0 };

/** What a day has before the person says otherwise. */
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

/** Whether so much more stays within a limit. What is not needed may be over it already. */
export function fits(limit: Amounts, spent: Amounts, amounts: Amounts): boolean {
  return amountNames.every((name) => amounts[name] === 0 || rounded(spent[name] + amounts[name]) <= limit[name]);
}

/** Amounts as they may stand in settings or storage; what is no number becomes the standard. */
export function readAmounts(value: unknown, standard: Amounts): Amounts {
  const given: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  return each((name) => {
    const amount = given[name];
    return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : standard[name];
  });
}

/**
 * What a request is counted as.
 *
 * @param minutes length of the recording, where one is sent
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

/** Minutes are counted in hundredths, whose sums would else drift. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
