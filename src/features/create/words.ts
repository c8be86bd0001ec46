import { posix } from 'node:path';

/** In characters: nobody reads more of a prompt in a list. */
const maxLength = 300;

/** The beginning of a text, on one line. */
export function shortened(text: string): string {
  const words = text
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .trim();
  // A character of two units is not cut through.
  return words.length > maxLength ? `${words.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : words;
}

/** The last part of a URI or path as a person reads it. */
export function nameOf(uri: string): string {
  const name = posix.basename(uri.replace(/[?#].*$/s, '').replaceAll('\\', '/'));
  try {
    return decodeURIComponent(name).slice(0, maxLength) || uri.slice(0, maxLength);
  } catch {
    return name.slice(0, maxLength);
  }
}
