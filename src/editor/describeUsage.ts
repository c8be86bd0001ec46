import type { Usage } from '../library/LibraryRecord.ts';

/** More than that is for the library. */
const maxNumbers = 4;

/** What a service told of cost and use, in a few words such as `cost 0.004, total tokens 120`; how long it took is neither. */
export function describeUsage({ cost, usage }: Usage): string {
  const told = { ...(cost === undefined ? {} : { cost }), ...(typeof usage === 'object' ? usage : {}) };
  return numbersOf(told).slice(0, maxNumbers).join(', ');
}

function numbersOf(usage: Usage): readonly string[] {
  return Object.entries(usage).flatMap(([name, value]) => {
    if (typeof value === 'object') return numbersOf(value);
    return typeof value === 'number' ? [`${name.replaceAll('_', ' ')} ${value}`] : [];
  });
}
