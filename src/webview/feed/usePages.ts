import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { request } from '../host.ts';
import type { Filter, Item, LibraryPart } from '../protocol/messages.ts';
import { pageSize } from '../protocol/messages.ts';

export const noFilter: Filter = { words: '', kind: null, model: null, sandbox: false };

/** As many pages as are kept; those that were seen last. */
const maxPages = 12;

export interface Pages {
  readonly filter: Filter;
  setFilter(filter: Filter): void;
  readonly total: number;
  itemAt(index: number): Item | undefined;
  /** Says which results are on the screen: those that are not known are asked for. */
  want(from: number, to: number): void;
}

interface Known {
  /** Of the library that they are from. */
  readonly revision: number;
  readonly filter: Filter;
  readonly total: number;
  readonly pages: ReadonlyMap<number, readonly Item[]>;
}

/** The results that a filter lets through, read page by page. While a changed library is read, the ones before are shown. */
export function usePages(library: LibraryPart | undefined): Pages {
  const [filter, setFilter] = useState<Filter>(noFilter);
  const isAll = filter === noFilter;
  const [known, setKnown] = useState<Known>();
  const wanted = useRef<readonly number[]>([0]);
  const asked = useRef(new Set<string>());
  const revision = library?.revision ?? -1;
  const ask = useCallback(() => {
    if (revision < 0) return;
    for (const page of wanted.current) {
      const key = `${revision} ${page} ${JSON.stringify(filter)}`;
      if (asked.current.has(key) || (isAll && page === 0)) continue;
      asked.current.add(key);
      request('page', { filter, from: page * pageSize, most: pageSize }).then(
        (reply) => {
          asked.current.delete(key);
          setKnown((now) => withPage(now, filter, page, reply));
        },
        () => asked.current.delete(key),
      );
    }
  }, [revision, filter, isAll]);

  const isCurrent = known?.revision === revision && known.filter === filter;
  // The first page of all comes with each change.
  const shown = useMemo((): Known | undefined => {
    if (!isAll || !library) return known;
    const first = new Map([[0, library.first]]);
    if (!known || known.filter !== filter) return { revision, filter, total: library.total, pages: first };
    return { revision, filter, total: library.total, pages: new Map([...known.pages, ...first]) };
  }, [isAll, library, known, filter, revision]);
  useEffect(() => {
    if (!isCurrent) ask();
  }, [isCurrent, ask]);
  return {
    filter,
    setFilter,
    total: shown?.total ?? 0,
    itemAt: (index) => shown?.pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    want: (from, to) => {
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to - 1) / pageSize)];
      wanted.current = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
      const isMissing = (page: number) => !(isCurrent && known.pages.has(page)) && !(isAll && page === 0);
      if (wanted.current.some(isMissing)) ask();
    },
  };
}

interface Reply {
  readonly revision: number;
  readonly total: number;
  readonly items: readonly Item[];
}

function withPage(known: Known | undefined, filter: Filter, page: number, { items, ...facts }: Reply): Known {
  const isSame = known?.revision === facts.revision && known.filter === filter;
  const others = isSame ? [...known.pages].filter(([number]) => number !== page).slice(1 - maxPages) : [];
  return { ...facts, filter, pages: new Map([...others, [page, items]]) };
}
