import { withoutQuery } from '../documents/MediaReference.ts';
import type { PlacedDocument } from './Project.ts';

/** Languages that write paths and no URLs. */
const withoutEncoding = new Set(['latex', 'gdscript', 'dart']);

/** Undoes the encoding of URLs; undefined for what is no path. */
export function decodeAddress(address: string, { language }: PlacedDocument): string | undefined {
  if (address.includes('\0') || /^\/\/|^(?!res:)[a-z][a-z\d+.-]*:/i.test(address)) return undefined;
  if (withoutEncoding.has(language)) return address;
  const path = withoutQuery(address);
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // A percent sign that encodes nothing is one of the name.
  }
  if (text === '' || text.includes('\0')) return undefined;
  // Browsers take them for slashes, and people of Windows write them.
  return text.replaceAll('\\', '/');
}
