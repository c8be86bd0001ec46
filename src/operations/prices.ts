import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import type { Amounts } from './amounts.ts';
import type { Further } from './Further.ts';
import { matchesPattern } from './matchesPattern.ts';

/** What a price can be for. */
export const priceUnits = ['image', 'second', 'character', 'minute', 'request'] as const;
type Unit = (typeof priceUnits)[number];

/** A person's own prices. */
export interface Prices {
  readonly currency: string;
  /** By the pattern of a model's name. The first that fits counts. */
  readonly models: Readonly<Record<string, Readonly<Partial<Record<Unit, number>>>>>;
}

/** An amount of money. */
export interface Cost extends Pick<Prices, 'currency'> {
  readonly amount: number;
}

/** Returns the prices in a setting; undefined if there are none. What is no price is left out; see {@link priceProblem}. */
export function readPrices(value: unknown): Prices | undefined {
  if (!isObject(value) || !isObject(value.models)) return undefined;
  const models = Object.entries(value.models).flatMap(([pattern, prices]) => {
    const known = isObject(prices) ? priceUnits.flatMap((unit) => pairOf(unit, prices[unit])) : [];
    return known.length > 0 ? [[pattern, Object.fromEntries(known)] as const] : [];
  });
  if (models.length === 0) return undefined;
  return { currency: typeof value.currency === 'string' ? value.currency : '', models: Object.fromEntries(models) };
}

/** Says what in a setting is no price, and where, as a sentence; undefined if all of it is read. */
export function priceProblem(value: unknown): string | undefined {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return undefined;
  const wrong = (field: string, expected: string) => l10n.t('“{0}” in your prices must be {1}.', field, expected);
  const [object, number] = [l10n.t('an object'), l10n.t('a number that is not negative')];
  if (!isObject(value)) return wrong('unifiedMedia.prices', object);
  const unknown = Object.keys(value).find((name) => name !== 'currency' && name !== 'models');
  if (unknown !== undefined) return l10n.t('“{0}” in your prices is not known. Use {1}.', unknown, 'currency, models');
  if (value.currency !== undefined && typeof value.currency !== 'string') return wrong('currency', l10n.t('a text'));
  if (!isObject(value.models)) return wrong('models', object);
  for (const [pattern, prices] of Object.entries(value.models)) {
    if (!isObject(prices)) return wrong(`models.${pattern}`, object);
    for (const [unit, price] of Object.entries(prices)) {
      const field = `models.${pattern}.${unit}`;
      const known = priceUnits.find((one) => one === unit);
      if (!known) return l10n.t('“{0}” in your prices is not known. Use {1}.', field, priceUnits.join(', '));
      if (pairOf(known, price).length === 0) return wrong(field, number);
    }
  }
  return undefined;
}

/** Longer text is usually spoken by several requests. How many depends on its sentences. */
export const maxSpokenAtOnce = 4096;

/** What requests count as, as far as it is known before they are sent. */
export interface Counted extends Partial<Amounts> {
  /** Length of the videos. */
  readonly seconds?: number;
}

/**
 * Returns the length of a video that a request asks for, in seconds, by the names that services have for it; undefined
 * if it says none.
 */
export function secondsIn(values: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const given = values?.seconds ?? values?.duration;
  const seconds = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : undefined;
}

/** Returns what a request counts as, with the length of the video that it asks for. */
export function countedOf(amounts: Amounts, { further }: { readonly further?: Further }): Counted {
  return { ...amounts, seconds: secondsIn(further?.values) };
}

/**
 * Returns what requests cost by a person's own prices; undefined if there is no price for the model, or one for what is
 * not known, such as the length of a video.
 */
export function costOf(prices: Prices | undefined, model: string, counted: Counted): number | undefined {
  const [, found] = Object.entries(prices?.models ?? {}).find(([pattern]) => matchesPattern(pattern, model)) ?? [];
  if (!found) return undefined;
  const { images, seconds, characters, minutes, requests } = counted;
  const counts = { image: images, second: seconds, character: characters, minute: minutes, request: requests };
  let cost = 0;
  for (const unit of priceUnits) {
    const price = found[unit];
    const count = counts[unit];
    if (price === undefined) continue;
    if (count === undefined) return undefined;
    cost += price * count;
  }
  return cost;
}

/** Returns what several requests cost together; undefined if the cost of one of them is not known. */
export function costOfAll(
  prices: Prices | undefined,
  all: readonly { readonly model: string; readonly counted: Counted }[],
): number | undefined {
  return all.reduce((total: number | undefined, { model, counted }) => {
    const cost = costOf(prices, model, counted);
    return total === undefined || cost === undefined ? undefined : total + cost;
  }, prices && 0);
}

/**
 * Says what something costs, such as “about 0.12 $”.
 *
 * @param isUpperBound whether it may cost less
 */
export function describeCost(
  cost: number,
  { currency }: Pick<Prices, 'currency'>,
  language?: string,
  isUpperBound = false,
): string {
  // Two digits that say something, also of a hundredth of a cent.
  const digits = cost > 0 && cost < 1 ? { maximumSignificantDigits: 2 } : {};
  const style = { minimumFractionDigits: 2, maximumFractionDigits: 2, ...digits };
  const amount =
    `${cost.toLocaleString(language, digits.maximumSignificantDigits ? digits : style)} ${currency}`.trim();
  return isUpperBound ? l10n.t('at most {0}', amount) : l10n.t('about {0}', amount);
}

function pairOf(unit: Unit, price: unknown): readonly (readonly [Unit, number])[] {
  return typeof price === 'number' && Number.isFinite(price) && price >= 0 ? [[unit, price]] : [];
}
