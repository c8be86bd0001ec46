import type { Usage } from './LibraryRecord.ts';

const maxDepth = 4;

/**
 * Returns the reported cost and usage, limited to what is safe in a workspace: numbers, booleans and short words.
 *
 * @param reported value from the service's answer
 */
export function usageOf(reported: unknown, depth = 0): Usage | undefined {
  if (typeof reported !== 'object' || reported === null || Array.isArray(reported)) return undefined;
  if (depth > maxDepth) return undefined;
  const known = Object.entries(reported).flatMap(([name, value]: [string, unknown]) => {
    const kept = isShort(value) ? value : usageOf(value, depth + 1);
    return kept === undefined || !/^[\w.-]{1,60}$/.test(name) ? [] : [[name, kept] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function isShort(value: unknown): value is number | boolean | string {
  if (typeof value === 'string') return /^[A-Za-z ]{1,20}$/.test(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
