import * as l10n from '@vscode/l10n';
import { anything, record } from '../foreign/shape.ts';
import type { Amounts } from './amounts.ts';
import { matchesPattern } from './matchesPattern.ts';

const units = ['image', 'second', 'character', 'minute', 'request'] as const;
type Unit = (typeof units)[number];

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

const isObject = record(anything);

/** Returns the prices in a setting; undefined if there are none. What is no price is left out. */
export function readPrices(value: unknown): Prices | undefined {
  if (!isObject(value) || !isObject(value.models)) return undefined;
  const models = Object.entries(value.models).flatMap(([pattern, prices]) => {
    const known = isObject(prices) ? units.flatMap((unit) => pairOf(unit, prices[unit])) : [];
    return known.length > 0 ? [[pattern, Object.fromEntries(known)] as const] : [];
  });
  if (models.length === 0) return undefined;
  return { currency: typeof value.currency === 'string' ? value.currency : '', models: Object.fromEntries(models) };
}

/** What requests count as, as far as it is known before they are sent. */
export interface Counted extends Partial<Amounts> {
  /** Length of the videos. */
  readonly seconds?: number;
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
  for (const unit of units) {
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

/** Says what something costs, such as “about 0.12 $”. */
export function describeCost(cost: number, { currency }: Pick<Prices, 'currency'>, language?: string): string {
  // Two digits that say something, also of a hundredth of a cent.
  const digits = cost > 0 && cost < 1 ? { maximumSignificantDigits: 2 } : {};
  const style = { minimumFractionDigits: 2, maximumFractionDigits: 2, ...digits };
  const amount =
    `${cost.toLocaleString(language, digits.maximumSignificantDigits ? digits : style)} ${currency}`.trim();
  return l10n.t('about {0}', amount);
}

function pairOf(unit: Unit, price: unknown): readonly (readonly [Unit, number])[] {
  return typeof price === 'number' && Number.isFinite(price) && price >= 0 ? [[unit, price]] : [];
}
