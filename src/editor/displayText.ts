import type { Usage } from '../library/LibraryRecord.ts';

/** Returns a text as one short line, without characters that break the line or change its direction. */
export function oneLine(text: string, maxLength = 80): string {
  const words = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...words];
  return letters.length > maxLength ? `${letters.slice(0, maxLength).join('')}…` : words;
}

/**
 * Returns a text in which notifications find no links. The text may come from the service, and a link may run a
 * command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}

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
