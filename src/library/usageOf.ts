import type { Usage } from './LibraryRecord.ts';

const deepest = 4;

/**
 * What an answer tells of cost and use, as far as it may be written into a workspace: numbers, yes or no, and short words.
 *
 * @param told as the service sent it
 */
export function usageOf(told: unknown, depth = 0): Usage | undefined {
  if (typeof told !== 'object' || told === null || Array.isArray(told) || depth > deepest) return undefined;
  const known = Object.entries(told).flatMap(([name, value]: [string, unknown]) => {
    const kept = isShort(value) ? value : usageOf(value, depth + 1);
    return kept === undefined || !/^[\w.-]{1,60}$/.test(name) ? [] : [[name, kept] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function isShort(value: unknown): value is number | boolean | string {
  if (typeof value === 'string') return /^[A-Za-z ]{1,20}$/.test(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
