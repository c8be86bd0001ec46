import { posix } from 'node:path';
import { nameParts } from '../../library/fileName.ts';

/** The path that was requested, and the one that was saved because the content is of another type. */
export interface Renamed {
  readonly requested: string;
  readonly saved: string;
}

/**
 * Returns an address with the saved file's extension, otherwise as written; undefined when it need not or cannot be
 * changed.
 */
export function withNameOf(href: string, { requested, saved }: Renamed): string | undefined {
  const [from, to] = [nameParts(posix.basename(requested)), nameParts(posix.basename(saved))];
  const [, front, ending, query = ''] = /^([^?#]*)\.(\w+)([?#].*)?$/.exec(href) ?? [];
  if (front === undefined || ending?.toLowerCase() !== from.extension?.toLowerCase()) return undefined;
  // When the name was taken too, a number follows it.
  const number = to.name.startsWith(from.name) ? to.name.slice(from.name.length) : '';
  return `${front}${number}.${to.extension ?? ''}${query}`;
}
