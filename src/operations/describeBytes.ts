/**
 * Describes the size of a file, such as “12.5 kB” or “3 MB”: rounded to tenths, and never as nothing.
 *
 * @param language that the number is written in; that of the system if absent
 */
export function describeBytes(bytes: number, language?: string): string {
  const isSmall = bytes < 1_000_000;
  const amount = Math.max(bytes / (isSmall ? 1000 : 1_000_000), 0.1);
  return `${amount.toLocaleString(language, { maximumFractionDigits: 1 })} ${isSmall ? 'kB' : 'MB'}`;
}
