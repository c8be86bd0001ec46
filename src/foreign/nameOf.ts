/** Maximum length of a name, in characters. */
const maxLength = 300;

/** Returns the last part of a URI, decoded and without query and fragment, or of a path, as it is. */
export function nameOf(uri: string): string {
  // A drive letter is no scheme.
  const isUri = /^[a-z][a-z0-9+.-]+:/i.test(uri);
  const path = (isUri ? uri.replace(/[?#].*$/s, '') : uri).replaceAll('\\', '/');
  const name = path.split('/').findLast((part) => part !== '') ?? '';
  if (!isUri) return name.slice(0, maxLength);
  try {
    return decodeURIComponent(name).slice(0, maxLength) || uri.slice(0, maxLength);
  } catch {
    return name.slice(0, maxLength);
  }
}
