import { posix } from 'node:path';

/** Maximum length of a prompt in a list, in characters. */
const maxLength = 300;

/** Returns the beginning of a text, on one line. */
export function shortened(text: string): string {
  const words = text
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .trim();
  // Does not split a surrogate pair.
  return words.length > maxLength ? `${words.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : words;
}

/** Returns the last part of a URI, decoded and without query and fragment, or of a path, as it is. */
export function nameOf(uri: string): string {
  // A drive letter is no scheme.
  const isUri = /^[a-z][a-z0-9+.-]+:/i.test(uri);
  const name = posix.basename((isUri ? uri.replace(/[?#].*$/s, '') : uri).replaceAll('\\', '/'));
  if (!isUri) return name.slice(0, maxLength);
  try {
    return decodeURIComponent(name).slice(0, maxLength) || uri.slice(0, maxLength);
  } catch {
    return name.slice(0, maxLength);
  }
}
