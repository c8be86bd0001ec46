import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { request } from '../host.ts';
import type { Filter, Item, LibraryPart, ReplyOf } from '../protocol/messages.ts';
import { pageSize } from '../protocol/messages.ts';

export const noFilter: Filter = { words: '', kind: null, model: null, sandbox: false };

/** How many pages are cached; the oldest are dropped. */
const maxPages = 12;

export interface Pages {
  readonly filter: Filter;
  setFilter(filter: Filter): void;
  readonly total: number;
  itemAt(index: number): Item | undefined;
  /** Requests the pages of these results unless they are loaded; `to` is exclusive. */
  load(from: number, to: number): void;
}

interface Loaded {
  /** The revision of the library that the pages come from. */
  readonly revision: number;
  readonly filter: Filter;
  readonly total: number;
  readonly pages: ReadonlyMap<number, readonly Item[]>;
}

/**
 * Loads the filtered results page by page. After a change of the library, the old results stay until the new ones
 * arrive.
 */
export function usePages(library: LibraryPart | undefined): Pages {
  const [filter, setFilter] = useState<Filter>(noFilter);
  const isAll = filter === noFilter;
  const [loaded, setLoaded] = useState<Loaded>();
  const visible = useRef<readonly number[]>([0]);
  const inFlight = useRef(new Set<string>());
  const revision = library?.revision ?? -1;
  const requestVisible = useCallback(() => {
    if (revision < 0) return;
    for (const page of visible.current) {
      const key = `${revision} ${page} ${JSON.stringify(filter)}`;
      if (inFlight.current.has(key) || (isAll && page === 0)) continue;
      inFlight.current.add(key);
      request('page', { filter, from: page * pageSize, limit: pageSize }).then(
        (reply) => {
          inFlight.current.delete(key);
          setLoaded((now) => withPage(now, filter, page, reply));
        },
        () => inFlight.current.delete(key),
      );
    }
  }, [revision, filter, isAll]);

  const isCurrent = loaded?.revision === revision && loaded.filter === filter;
  // The host sends the first unfiltered page with each change of the library.
  const shown = useMemo((): Loaded | undefined => {
    if (!isAll || !library) return loaded;
    const first = new Map([[0, library.first]]);
    if (!loaded || loaded.filter !== filter) return { revision, filter, total: library.total, pages: first };
    return { revision, filter, total: library.total, pages: new Map([...loaded.pages, ...first]) };
  }, [isAll, library, loaded, filter, revision]);
  useEffect(() => {
    if (!isCurrent) requestVisible();
  }, [isCurrent, requestVisible]);
  return {
    filter,
    setFilter,
    total: shown?.total ?? 0,
    itemAt: (index) => shown?.pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    load: (from, to) => {
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to - 1) / pageSize)];
      visible.current = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
      const isMissing = (page: number) => !(isCurrent && loaded.pages.has(page)) && !(isAll && page === 0);
      if (visible.current.some(isMissing)) requestVisible();
    },
  };
}

function withPage(now: Loaded | undefined, filter: Filter, page: number, reply: ReplyOf<'page'>): Loaded {
  const { revision, total, items } = reply;
  const isSame = now?.revision === revision && now.filter === filter;
  const others = isSame ? [...now.pages].filter(([number]) => number !== page).slice(1 - maxPages) : [];
  return { revision, total, filter, pages: new Map([...others, [page, items]]) };
}
