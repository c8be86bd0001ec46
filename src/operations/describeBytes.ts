/**
 * Describes the size of a file, such as “12.5 kB” or “3 MB”: rounded to tenths, and 0 only for no bytes.
 *
 * @param language that the number is written in; that of the system if absent
 */
export function describeBytes(bytes: number, language?: string): string {
  // From here on, kB would be rounded to 1,000.
  const isSmall = bytes < 999_950;
  const amount = bytes / (isSmall ? 1000 : 1_000_000);
  const shown = bytes > 0 ? Math.max(amount, 0.1) : 0;
  return `${shown.toLocaleString(language, { maximumFractionDigits: 1 })} ${isSmall ? 'kB' : 'MB'}`;
}
