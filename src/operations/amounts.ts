import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import { MediaError } from './MediaError.ts';
import { type MediaRequest, type OperationId, operations, wordsOf } from './operations.ts';

/** What is counted before anything is paid for, each on its own: by budgets, plans and confirmations. */
export const amountNames = ['images', 'videos', 'characters', 'minutes', 'requests'] as const;
export type AmountName = (typeof amountNames)[number];

/** Characters are those of text to speak, and minutes those of recordings, in hundredths. */
export type Amounts = Readonly<Record<AmountName, number>> & {
  /** Set if the minutes are an upper bound. */
  readonly minutesAtMost?: true;
};

export const noAmounts: Amounts = { images: 0, videos: 0, characters: 0, minutes: 0, requests: 0 };

export function eachAmount<T>(of: (name: AmountName) => T): Readonly<Record<AmountName, T>> {
  return {
    images: of('images'),
    videos: of('videos'),
    characters: of('characters'),
    minutes: of('minutes'),
    requests: of('requests'),
  };
}

/** Returns one of several amounts with its unit, and says so if it is an upper bound. */
export function describeAmountIn<Name extends AmountName>(
  amounts: Pick<Amounts, Name | 'minutesAtMost'>,
  name: Name,
  language?: string,
): string {
  const described = describeAmount(name, amounts[name], language);
  return name === 'minutes' && amounts.minutesAtMost ? l10n.t('at most {0}', described) : described;
}

/**
 * Returns a count with its unit, such as `3 images`.
 *
 * @param language that the number is written in; that of the system if absent
 */
export function describeAmount(name: AmountName, count: number, language?: string): string {
  // Loading what formats numbers takes 20 ms, and is not needed for a list of single requests.
  const digits = count === 1 ? '' : count.toLocaleString(language);
  switch (name) {
    case 'images':
      return count === 1 ? l10n.t('1 image') : l10n.t('{0} images', digits);
    case 'videos':
      return count === 1 ? l10n.t('1 video') : l10n.t('{0} videos', digits);
    case 'characters':
      return count === 1 ? l10n.t('1 character') : l10n.t('{0} characters', digits);
    case 'minutes':
      return count === 1 ? l10n.t('1 minute of recordings') : l10n.t('{0} minutes of recordings', digits);
    case 'requests':
      return count === 1 ? l10n.t('1 request') : l10n.t('{0} requests', digits);
  }
}

export function sum(...all: readonly Amounts[]): Amounts {
  const total = eachAmount((name) => rounded(all.reduce((total, amounts) => total + amounts[name], 0)));
  return all.some(({ minutesAtMost }) => minutesAtMost) ? { ...total, minutesAtMost: true } : total;
}

export function difference(a: Amounts, b: Amounts): Amounts {
  return eachAmount((name) => rounded(Math.max(0, a[name] - b[name])));
}

export function smaller(a: Amounts, b: Amounts): Amounts {
  return eachAmount((name) => Math.min(a[name], b[name]));
}

/** Whether a limit covers further amounts. An amount of 0 always fits, even if its limit is already exceeded. */
export function fits(limit: Amounts, spent: Amounts, amounts: Amounts): boolean {
  return amountNames.every((name) => amounts[name] === 0 || rounded(spent[name] + amounts[name]) <= limit[name]);
}

/** Decodes amounts from settings or storage. Missing and invalid numbers take the fallback. */
export function readAmounts(value: unknown, fallback: Amounts): Amounts {
  const given: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  return eachAmount((name) => {
    const amount = given[name];
    return typeof amount === 'number' && isCountable(amount) ? amount : fallback[name];
  });
}

/**
 * Returns the amounts that a paid request counts as.
 *
 * @param minutes length of the recording, if one is sent
 * @param requests the number of requests that its text is spoken in
 * @throws MediaError `invalidInput` if it would count as nothing, or as something that is not a number
 */
export function amountsOf(id: OperationId, request: MediaRequest, minutes: number, requests = 1): Amounts {
  const name = unitOf(id);
  const count = {
    images: () => ('n' in request ? request.n : 1),
    videos: () => 1,
    characters: () => wordsOf(id, request)?.length ?? 0,
    minutes: () => minutes,
  }[name]();
  if (!(count > 0)) throw notCountable(name, count);
  return checkAmounts({ ...noAmounts, [name]: count, requests });
}

/** Returns what an operation is billed by, beside its requests. */
export function unitOf(id: OperationId) {
  switch (operations[id].result) {
    case 'images':
      return 'images';
    case 'videos':
      return 'videos';
    case 'speech':
      return 'characters';
    case 'transcripts':
      return 'minutes';
  }
}

/** @throws MediaError `invalidInput` unless all amounts are finite and at least 0 */
export function checkAmounts(amounts: Amounts): Amounts {
  for (const name of amountNames) if (!isCountable(amounts[name])) throw notCountable(name, amounts[name]);
  return amounts;
}

function isCountable(amount: number): boolean {
  return Number.isFinite(amount) && amount >= 0;
}

function notCountable(name: AmountName, amount: number): MediaError {
  const sentence = l10n.t(
    'Nothing was sent, because the size of the request could not be counted ({1}: {0}).',
    String(amount),
    name,
  );
  return new MediaError('invalidInput', sentence, { field: name });
}

/** Rounds to hundredths, in which minutes are counted, so that sums do not drift. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
