import { withoutQuery } from '../documents/MediaReference.ts';
import type { PlacedDocument } from './Project.ts';

/** Languages whose references are paths, not URLs. */
const withoutEncoding = new Set(['latex', 'gdscript', 'dart']);

/** Decodes a URL into a path; returns undefined if it is not a path. */
export function decodeAddress(address: string, { language }: PlacedDocument): string | undefined {
  if (address.includes('\0') || /^\/\/|^(?!res:)[a-z][a-z\d+.-]*:/i.test(address)) return undefined;
  if (withoutEncoding.has(language)) return address;
  const path = withoutQuery(address);
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // The percent sign belongs to the name.
  }
  if (text === '' || text.includes('\0')) return undefined;
  // Browsers treat backslashes as slashes, and Windows users write them.
  return text.replaceAll('\\', '/');
}
