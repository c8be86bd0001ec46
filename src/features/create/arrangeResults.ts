import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { Filter } from '../../webview/protocol/messages.ts';

/** Results in the order in which they are shown. */
export interface Arranged<T> {
  readonly results: readonly T[];
  readonly groups: readonly Group<T>[];
}

/** Consecutive results with a heading. */
export interface Group<T> {
  /** Index of its first result, which its heading describes. */
  readonly from: number;
  readonly first: T;
  /** Whether it holds the single results of several requests. */
  readonly isMixed: boolean;
}

/**
 * Sorts and groups results. Groups are in the order of time, whatever the order inside them. In groups by request, those
 * of one prompt belong together, whenever they were made; requests with a single result share a group.
 *
 * @param results newest first
 */
export function arrangeResults<T extends { readonly entry: LibraryEntry }>(
  results: readonly T[],
  { sort, group }: Pick<Filter, 'sort' | 'group'>,
): Arranged<T> {
  if (group === 'none') return { results: sorted(results, sort), groups: [] };
  const keyOf = group === 'day' ? dayOf : requestOf;
  const found = [...Map.groupBy(results, ({ entry }) => keyOf(entry)).values()];
  const inOrder = sort === 'oldest' ? found.reverse() : found;
  const arranged: T[] = [];
  const groups: Group<T>[] = [];
  for (const [index, members] of inOrder.entries()) {
    const ofGroup = sorted(members, sort);
    const [first] = ofGroup;
    const isSingle = group === 'request' && members.length === 1;
    const joinsLast = isSingle && inOrder[index - 1]?.length === 1;
    if (first && !joinsLast) groups.push({ from: arranged.length, first, isMixed: isSingle });
    arranged.push(...ofGroup);
  }
  return { results: arranged, groups };
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Results of one moment, which one request made, keep their order. */
function sorted<T extends { readonly entry: LibraryEntry }>(results: readonly T[], sort: Filter['sort']): readonly T[] {
  switch (sort) {
    case 'newest':
      return results;
    case 'oldest':
      return results.toSorted((a, b) => Date.parse(a.entry.createdAt) - Date.parse(b.entry.createdAt));
    case 'name':
      return results.toSorted((a, b) => byName.compare(nameOf(a.entry), nameOf(b.entry)));
  }
}

function nameOf({ file, videoId }: LibraryEntry): string {
  return file === undefined ? (videoId ?? '') : file.slice(file.lastIndexOf('/') + 1);
}

/** The day here, not in UTC. */
function dayOf({ createdAt }: LibraryEntry): string {
  return new Date(createdAt).toDateString();
}

function requestOf({ operation, prompt, jobId }: LibraryEntry): string {
  return JSON.stringify([operation, prompt ?? jobId]);
}
