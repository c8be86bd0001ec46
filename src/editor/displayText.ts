import type { Usage } from '../library/LibraryRecord.ts';

/** Maximum number of figures; the library shows all. */
const maxNumbers = 4;

/**
 * Describes the cost and usage that a service reported, such as `cost 0.004, total tokens 120`. Durations are not
 * included.
 */
export function describeUsage({ cost, usage }: Usage): string {
  const all = { ...(cost === undefined ? {} : { cost }), ...(typeof usage === 'object' ? usage : {}) };
  return numbersOf(all).slice(0, maxNumbers).join(', ');
}

function numbersOf(usage: Usage): readonly string[] {
  return Object.entries(usage).flatMap(([name, value]) => {
    if (typeof value === 'object') return numbersOf(value);
    return typeof value === 'number' ? [`${name.replaceAll('_', ' ')} ${value}`] : [];
  });
}
