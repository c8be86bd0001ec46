import type { FeedItem, Filter, Heading, JobCard, LibraryPart, ReplyOf } from '../protocol/messages.ts';

export const noFilter: Filter = {
  words: '',
  kind: null,
  model: null,
  sandbox: null,
  starred: false,
  sort: 'newest',
  group: 'none',
};

/** Returns the filter with these changes; {@link noFilter} itself if it lets everything pass in the usual order. */
export function changedFilter(filter: Filter, changes: Partial<Filter>): Filter {
  const next = { ...filter, ...changes };
  return isUsual(next) && letsAllPass(next) ? noFilter : next;
}

function isUsual({ sort, group }: Filter): boolean {
  return sort === noFilter.sort && group === noFilter.group;
}

/** Whether a filter hides nothing. */
export function letsAllPass({ words, kind, model, sandbox, starred }: Filter): boolean {
  return words === '' && kind === null && model === null && sandbox === null && !starred;
}

/** Whether a filter has something that only the second line of its form shows. */
export function isBeyondFirstLine(filter: Filter): boolean {
  return filter.model !== null || filter.sandbox !== null || !isUsual(filter);
}

/** Returns the filter that shows everything in the same order. */
export function withoutLimits({ sort, group }: Filter): Filter {
  return changedFilter(noFilter, { sort, group });
}

/** Whether a filter hides what a job will make. Its card is shown all the same, and says so. */
export function isHidden({ kind, words, model, sandbox = false }: JobCard, filter: Filter): boolean {
  if (filter === noFilter) return false;
  if (filter.starred) return true;
  if (filter.kind !== null && filter.kind !== kind) return true;
  if (filter.model !== null && filter.model !== model) return true;
  if (filter.sandbox !== null && filter.sandbox !== sandbox) return true;
  const text = `${words} ${model}`.toLowerCase();
  const terms = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return !terms.every((word) => text.includes(word));
}

/**
 * Returns how many results precede a job. Under a filter, what runs comes first, and so does everything where the
 * results are not in the order of time.
 *
 * @param itemAt returns a result that passes the filter, if it is loaded
 */
export function positionOf(job: JobCard, filter: Filter, itemAt: (index: number) => FeedItem | undefined): number {
  if (filter === noFilter) return job.position;
  if (job.state === 'running' || !isUsual(filter)) return 0;
  const isOlder = (item: FeedItem | undefined): boolean => item !== undefined && item.createdAt <= job.createdAt;
  let index = 0;
  while (index < job.position && !isOlder(itemAt(index))) index++;
  return index;
}

/**
 * Returns the moment after which a result was asked for under a filter that is set now, or before that by a job that
 * still runs. By the host's clock, because the view may be on another computer; a result that another computer has
 * dated in the future counts as made now. Null if the library is not known yet.
 */
export function askedSince(library: LibraryPart | undefined, jobs: readonly JobCard[]): string | null {
  if (!library) return null;
  const started = jobs.flatMap(({ state, createdAt }) => (state === 'running' ? [Date.parse(createdAt) - 1] : []));
  const [dated, now] = [library.first[0]?.createdAt ?? '', new Date().toISOString()];
  const newest = dated < now ? dated : now;
  const earliest = started.length > 0 ? new Date(Math.min(...started)).toISOString() : newest;
  return earliest < newest ? earliest : newest;
}

/** The results of a filter, as far as they are loaded. */
export interface Loaded {
  readonly filter: Filter;
  readonly total: number;
  readonly headings: readonly Heading[];
  readonly pages: ReadonlyMap<number, { readonly revision: number; readonly items: readonly FeedItem[] }>;
}

/** How many pages are cached; the oldest are dropped. */
const maxPages = 12;

/**
 * Adds a page. Of an earlier revision, only the visible pages stay, until the requests for them are answered.
 *
 * @param visible the visible pages
 */
export function withPage(
  now: Loaded | undefined,
  filter: Filter,
  page: number,
  { revision, total, items, headings }: ReplyOf<'page'>,
  visible: readonly number[],
): Loaded {
  const before = now?.filter === filter ? [...now.pages] : [];
  const others = before.filter(([number, kept]) => {
    return number !== page && (kept.revision >= revision || visible.includes(number));
  });
  const pages = new Map([...others.slice(1 - maxPages), [page, { revision, items }] as const]);
  return { filter, total, headings, pages };
}
