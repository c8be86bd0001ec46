import { posix } from 'node:path';
import { nameParts } from '../../library/fileName.ts';

/** A file that was wanted, and the one that was saved instead because its bytes are of another type. */
export interface Renamed {
  readonly wanted: string;
  readonly saved: string;
}

/** An address with another ending, as its author has written it; undefined where it need not or cannot be changed. */
export function withNameOf(href: string, { wanted, saved }: Renamed): string | undefined {
  const [from, to] = [nameParts(posix.basename(wanted)), nameParts(posix.basename(saved))];
  const [, front, ending, query = ''] = /^([^?#]*)\.(\w+)([?#].*)?$/.exec(href) ?? [];
  if (front === undefined || ending?.toLowerCase() !== from.extension?.toLowerCase()) return undefined;
  // Where that name was taken as well, a number follows it.
  const number = to.name.startsWith(from.name) ? to.name.slice(from.name.length) : '';
  return `${front}${number}.${to.extension ?? ''}${query}`;
}
