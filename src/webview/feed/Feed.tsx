import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keep, kept, request } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import { isDelete } from '../parts/isMac.ts';
import type { PagePosition } from '../parts/Menu.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import {
  type FeedItem,
  type Filter,
  type Filtered,
  type Heading,
  type JobCard,
  kinds,
  type LibraryPart,
  pageSize,
  type Selection,
} from '../protocol/messages.ts';
import {
  askedSince,
  changedFilter,
  isBeyondFirstLine,
  isHidden,
  type Loaded,
  letsAllPass,
  noFilter,
  positionOf,
  withoutLimits,
  withPage,
} from './filtering.ts';
import {
  type Cell,
  cellsIn,
  type FeedLayout,
  type FeedRows,
  type Insert,
  layoutFeed,
  renderedRows,
  rowAt,
  rowOf,
  topOf,
} from './layoutFeed.ts';
import {
  FailureCard,
  JobPlaceholder,
  JobTile,
  type OnItem,
  type OnSurface,
  type OpenTile,
  ResultTile,
  TileMenu,
} from './Tile.tsx';

/** VS Code opens it without a script. */
const walkthrough = `command:workbench.action.openWalkthrough?${encodeURIComponent('["unified-media.unified-media#start"]')}`;

/** In pixels, as in feed.css. */
const gap = 8;
const captionHeight = 36;
const headingHeight = 28;
/** How many results are rendered before and after the visible ones, so that the arrow keys and a search find them. */
const overscanResults = 20;

/** Props that the feeds of the view and of the library tab have in common. */
export interface FeedSource {
  readonly library: LibraryPart | undefined;
  readonly pages: Pages;
  readonly jobs: readonly JobCard[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onItem: OnItem;
  onUsePrompt(job: JobCard, action: 'usePrompt' | 'chooseModel'): void;
  onCancel(job: JobCard): void;
}

interface FeedProps extends FeedSource {
  /** In pixels. */
  readonly minTileWidth: number;
  readonly chosen?: readonly string[];
  readonly onSurface?: OnSurface;
}

/** A job, or the heading of a group. */
type FeedInsert =
  | (Insert & { readonly job: JobCard; readonly title?: undefined })
  | (Insert & { readonly title: string });

/** Jobs and results, newest first, in a virtualised grid. */
export function Feed(props: FeedProps) {
  const { library, pages, jobs, scroller, minTileWidth } = props;
  const { filter, setFilter, showAll, isLoaded, total, headings, itemAt, load } = pages;
  const list = useRef<HTMLUListElement>(null);
  const viewport = useViewport(scroller, list, 40);
  const columns = Math.max(1, Math.floor(((viewport?.width ?? 0) + gap) / (minTileWidth + gap)));
  const rowHeight = Math.floor(((viewport?.width ?? 0) - gap * (columns - 1)) / columns) + captionHeight + gap;
  const [heights, setHeight] = useHeights();
  const layout = layoutFeed(total, [...insertsOf(jobs, pages, heights), ...headingsOf(headings)], columns);
  const [shift, hold] = useHeldPlace(scroller, viewport?.width, (index) =>
    topOf(layout, rowOf(layout, index), rowHeight),
  );
  const visible = {
    from: rowAt(layout, (viewport?.top ?? 0) + shift, rowHeight),
    to: Math.min(layout.rows, rowAt(layout, (viewport?.bottom ?? 0) + shift, rowHeight) + 2),
  };
  const rendered = useRenderedRows(visible, layout.rows, Math.ceil(overscanResults / columns));
  const { from: fromRow, to: toRow } = rendered;
  const cells = viewport ? cellsIn(layout, fromRow, toRow) : [];
  const indexes = cells.flatMap((cell) => (cell.type === 'result' ? [cell.index] : []));
  useLayoutEffect(() => {
    load(Math.min(...indexes, total), Math.max(...indexes, 0) + 1);
  });
  const [current, setCurrent] = useState<string>();
  const [opened, setOpened] = useState<OpenTile>();
  const idsOf = (some: readonly Cell<FeedInsert>[]) => some.flatMap((cell) => itemOf(cell, itemAt)?.id ?? []);
  const drawn = idsOf(cells);
  const stop = drawn.find((id) => id === current) ?? idsOf(cellsIn(layout, visible.from, visible.to))[0] ?? drawn[0];
  const open = (event: Event, at: PagePosition): void => {
    const tile = event.target instanceof Element ? event.target.closest('li') : null;
    const item = tile && itemAt(Number(tile.dataset.index ?? -1));
    if (!tile || !item) return;
    event.preventDefault();
    setOpened({ item, tile, at });
  };
  const held = cells.find((cell) => cell.type === 'result' && itemAt(cell.index)?.id === current);
  hold(held?.type === 'result' ? held.index : undefined);
  const isDrawn = viewport !== undefined && isLoaded;
  // The grid has its height again.
  useLayoutEffect(() => {
    if (isDrawn) scroller.current?.scrollTo(0, kept()?.scroll ?? 0);
  }, [isDrawn]);
  const isEmpty = layout.rows === 0 && isLoaded && library?.isRead;
  return (
    <section class="feed" aria-label={l10n.t('Results')}>
      <FilterLine filter={filter} library={library} onFilter={setFilter} />
      <div role="status">
        {isEmpty && letsAllPass(filter) && (
          <p class="empty">
            {l10n.t('Your results appear here.')} <a href={walkthrough}>{l10n.t('Show What Can Be Made')}</a>
          </p>
        )}
        {isEmpty && !letsAllPass(filter) && (
          <p class="empty">
            {l10n.t('No results match the filter.')}{' '}
            <button type="button" class="link" onClick={showAll}>
              {l10n.t('Show All')}
            </button>
          </p>
        )}
      </div>
      <ul
        ref={list}
        class="grid"
        style={{
          height: `${topOf(layout, layout.rows, rowHeight)}px`,
          paddingTop: `${topOf(layout, fromRow, rowHeight)}px`,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridTemplateRows: templateOf(layout, fromRow, toRow, rowHeight),
          gridAutoRows: `${rowHeight - gap}px`,
        }}
        onContextMenu={(event) => open(event, { x: event.clientX, y: event.clientY })}
        onKeyDown={(event) => {
          const { key, shiftKey, metaKey, target } = event;
          if (!(target instanceof HTMLElement) || !target.matches('.surface')) return;
          const item = itemAt(Number(target.closest('li')?.dataset.index ?? -1));
          const { left, top } = target.getBoundingClientRect();
          if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) open(event, { x: left + 8, y: top + 8 });
          else if (key === 'F2' && item?.source !== undefined) props.onItem(item, 'rename');
          else if (isDelete(event) && (key === 'Delete' || metaKey) && item?.source !== undefined)
            props.onItem(item, 'delete');
          else moveFocus(event, columns);
        }}
      >
        {cells.map((cell) => (
          <FeedCell
            key={keyOf(cell, itemAt)}
            cell={cell}
            item={itemOf(cell, itemAt)}
            total={total}
            feed={props}
            stop={stop}
            onFocus={setCurrent}
            onHeight={setHeight}
          />
        ))}
      </ul>
      {opened && (
        <TileMenu
          opened={opened}
          place={props.onSurface ? 'tab' : 'view'}
          onItem={props.onItem}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  );
}

interface FeedCellProps {
  readonly cell: Cell<FeedInsert>;
  readonly item: FeedItem | undefined;
  readonly total: number;
  readonly feed: FeedProps;
  /** The id of the result that the Tab key comes to. */
  readonly stop: string | undefined;
  onFocus(id: string): void;
  onHeight(jobId: string, height: number): void;
}

function FeedCell({ cell, item, total, feed, stop, onFocus, onHeight }: FeedCellProps) {
  const { filter, showAll } = feed.pages;
  if (cell.type === 'insert') {
    if (cell.insert.title !== undefined) return <GroupHeading title={cell.insert.title} />;
    const { job } = cell.insert;
    const onShowAll = isHidden(job, filter) ? showAll : undefined;
    if (job.state === 'failed') {
      return <FailureCard job={job} onHeight={onHeight} onUsePrompt={feed.onUsePrompt} onShowAll={onShowAll} />;
    }
    if (cell.cell > 0) return <JobPlaceholder job={job} />;
    return <JobTile job={job} onCancel={feed.onCancel} onShowAll={onShowAll} />;
  }
  if (!item) return <li class="tile loading" aria-busy="true" />;
  return (
    <ResultTile
      item={item}
      index={cell.index}
      total={total}
      isChosen={feed.chosen?.includes(item.id)}
      isStop={item.id === stop}
      onFocus={onFocus}
      onSurface={feed.onSurface}
      onItem={feed.onItem}
      onShowAll={item.isHidden ? showAll : undefined}
    />
  );
}

/** Begins a group of results; a line where it has no title. */
function GroupHeading({ title }: { readonly title: string }) {
  return (
    <li class="group-heading" role="presentation">
      {title !== '' && (
        <h3 dir="auto" title={title}>
          {title}
        </h3>
      )}
    </li>
  );
}

function headingsOf(headings: readonly Heading[]): readonly FeedInsert[] {
  return headings.map(({ from, title }) => ({ position: from, cells: 0, height: headingHeight + gap, title }));
}

/** Returns the heights of the drawn rows; none if they are all alike. @param height of a row of results, with its gap */
function templateOf({ ownRows }: FeedLayout<FeedInsert>, from: number, to: number, height: number): string {
  if (ownRows.length === 0) return '';
  const own = new Map(ownRows.map((one) => [one.row, one.height]));
  return Array.from({ length: to - from }, (_, row) => `${(own.get(from + row) ?? height) - gap}px`).join(' ');
}

/** Places the jobs among the results. */
function insertsOf(
  jobs: readonly JobCard[],
  { filter, itemAt }: Pages,
  heights: ReadonlyMap<string, number>,
): readonly FeedInsert[] {
  return jobs.map((job) => {
    const position = positionOf(job, filter, itemAt);
    if (job.state !== 'failed') return { job, position, cells: job.files };
    const height = heights.get(job.id);
    return { job, position, cells: 0, height: height && height + gap };
  });
}

/** The heights that the sentences of failed jobs need, in pixels, by the ids of the jobs. */
function useHeights() {
  const [heights, setHeights] = useState<ReadonlyMap<string, number>>(new Map());
  const setHeight = useCallback((id: string, height: number): void => {
    setHeights((now) => (now.get(id) === height ? now : new Map([...now, [id, height]])));
  }, []);
  return [heights, setHeight] as const;
}

function itemOf(cell: Cell<FeedInsert>, itemAt: (index: number) => FeedItem | undefined): FeedItem | undefined {
  return cell.type === 'result' ? itemAt(cell.index) : undefined;
}

function keyOf(cell: Cell<FeedInsert>, itemAt: (index: number) => FeedItem | undefined): string {
  if (cell.type === 'insert') {
    const { insert } = cell;
    return insert.title === undefined ? `${insert.job.run} ${cell.cell}` : `heading ${insert.position}`;
  }
  return itemAt(cell.index)?.id ?? `${cell.index}`;
}

/** Moves the focus from a tile to another one with the arrow keys. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, columns: number): void {
  const { key, target, currentTarget } = event;
  const tile = target instanceof HTMLElement ? target.closest('li') : null;
  const isRightToLeft = document.dir === 'rtl';
  const steps = new Map([
    ['ArrowRight', isRightToLeft ? -1 : 1],
    ['ArrowLeft', isRightToLeft ? 1 : -1],
    ['ArrowDown', columns],
    ['ArrowUp', -columns],
  ]);
  const step = steps.get(key);
  if (!tile || step === undefined) return;
  event.preventDefault();
  const index = Number(tile.dataset.index) + step;
  currentTarget.querySelector<HTMLElement>(`[data-index="${index}"] .surface`)?.focus();
}

const orders = ['newest', 'oldest', 'name'] as const;
const groupings = ['none', 'day', 'request'] as const;

/** Filters the results by words and kind; a button reveals model, order, groups and sandbox. */
function FilterLine({
  filter,
  library,
  onFilter,
}: {
  readonly filter: Filter;
  readonly library: LibraryPart | undefined;
  onFilter(filter: Filter): void;
}) {
  const [isMore, setMore] = useState(() => isBeyondFirstLine(filter));
  const moreId = useId();
  const change = (changes: Partial<Filter>): void => onFilter(changedFilter(filter, changes));
  const { kind, model } = filter;
  return (
    <search class="filter">
      <div class="filter-line">
        <span class="filter-words">
          <Icon name="search" />
          <input
            type="search"
            aria-label={l10n.t('Filter')}
            placeholder={l10n.t('Filter')}
            spellcheck={false}
            value={filter.words}
            onInput={({ currentTarget }) => change({ words: currentTarget.value })}
          />
        </span>
        <select
          aria-label={l10n.t('Kind of result')}
          value={kind ?? ''}
          onChange={({ currentTarget: { value } }) => change({ kind: kinds.find((one) => one === value) ?? null })}
        >
          <option value="">{l10n.t('All')}</option>
          <option value="images">{l10n.t('Images')}</option>
          <option value="speech">{l10n.t('Speech')}</option>
          <option value="transcripts">{l10n.t('Transcripts')}</option>
          <option value="videos">{l10n.t('Videos')}</option>
        </select>
        <span class="filter-end">
          <label class="switch">
            <input
              type="checkbox"
              checked={filter.starred}
              onChange={({ currentTarget }) => change({ starred: currentTarget.checked })}
            />
            <span>{l10n.t('Starred')}</span>
          </label>
          <ToolButton
            name={l10n.t('More Filters')}
            icon="filter"
            title={l10n.t('Sort, Group and More Filters')}
            aria-expanded={isMore}
            aria-controls={isMore ? moreId : undefined}
            onClick={() => setMore(!isMore)}
          />
        </span>
      </div>
      {isMore && (
        <div id={moreId} class="filter-line">
          <select
            aria-label={l10n.t('Model of the result')}
            value={model ?? ''}
            onChange={({ currentTarget: { value } }) => change({ model: value === '' ? null : value })}
          >
            <option value="">{l10n.t('All models')}</option>
            {library?.models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={l10n.t('Order')}
            value={filter.sort}
            onChange={({ currentTarget: { value } }) =>
              change({ sort: orders.find((one) => one === value) ?? 'newest' })
            }
          >
            <option value="newest">{l10n.t('Newest first')}</option>
            <option value="oldest">{l10n.t('Oldest first')}</option>
            <option value="name">{l10n.t('By name')}</option>
          </select>
          <select
            aria-label={l10n.t('Groups')}
            value={filter.group}
            onChange={({ currentTarget: { value } }) =>
              change({ group: groupings.find((one) => one === value) ?? 'none' })
            }
          >
            <option value="none">{l10n.t('No groups')}</option>
            <option value="day">{l10n.t('By day')}</option>
            <option value="request">{l10n.t('By request')}</option>
          </select>
          <select
            aria-label={l10n.t('Sandbox')}
            value={filter.sandbox === null ? '' : String(filter.sandbox)}
            onChange={({ currentTarget: { value } }) => change({ sandbox: value === '' ? null : value === 'true' })}
          >
            <option value="">{l10n.t('With the sandbox')}</option>
            <option value="false">{l10n.t('Without the sandbox')}</option>
            <option value="true">{l10n.t('Only the sandbox')}</option>
          </select>
        </div>
      )}
    </search>
  );
}

export interface Pages {
  readonly filter: Filter;
  readonly selection: Selection;
  setFilter(filter: Filter): void;
  showAll(): void;
  /** Shows results of this kind only, unless the person has chosen a kind. */
  follow(kind: Filter['kind']): void;
  /** Whether there are results to draw, be it those of the filter before. */
  readonly isLoaded: boolean;
  readonly total: number;
  /** Ascending; none unless the results are grouped. */
  readonly headings: readonly Heading[];
  itemAt(index: number): FeedItem | undefined;
  /** Requests the pages of these results unless they are loaded; `to` is exclusive. */
  load(from: number, to: number): void;
}

/**
 * Loads the filtered results page by page. After a change of the library, the old results stay until the new ones
 * arrive.
 */
export function usePages(library: LibraryPart | undefined, jobs: readonly JobCard[]): Pages {
  const [{ filter, since, hasChosenKind }, setFiltered] = useState(keptFilter);
  const selection = { filter, since };
  const latest = useRef({ filter, hasChosenKind, library, jobs });
  latest.current = { filter, hasChosenKind, library, jobs };
  const use = (next: Filter, isChosen: boolean): void => {
    const now = askedSince(latest.current.library, latest.current.jobs);
    const filtered = { filter: next, since: now, hasChosenKind: isChosen };
    setFiltered(filtered);
    keep({ filtered });
  };
  const setFilter = useCallback((next: Filter): void => {
    const now = latest.current;
    use(next, now.hasChosenKind || letsAllPass(next) || next.kind !== now.filter.kind);
  }, []);
  const showAll = useCallback(() => setFilter(withoutLimits(latest.current.filter)), []);
  const follow = useCallback((kind: Filter['kind']): void => {
    if (!latest.current.hasChosenKind) use(changedFilter(latest.current.filter, { kind }), false);
  }, []);
  const isAll = filter === noFilter;
  const [loaded, setLoaded] = useState<Loaded>();
  const visible = useRef<readonly number[]>([0]);
  const inFlight = useRef(new Set<string>());
  const revision = library?.revision ?? -1;
  const isLatest = (page: number): boolean => {
    // The host sends the first unfiltered page with each change of the library.
    if (isAll && page === 0) return true;
    return loaded?.filter === filter && (loaded.pages.get(page)?.revision ?? -1) >= revision;
  };
  const requestVisible = (): void => {
    if (revision < 0) return;
    for (const page of visible.current) {
      const key = `${revision} ${page} ${JSON.stringify(filter)}`;
      if (inFlight.current.has(key) || isLatest(page)) continue;
      inFlight.current.add(key);
      request('page', { ...selection, from: page * pageSize, limit: pageSize }).then(
        (reply) => {
          inFlight.current.delete(key);
          setLoaded((now) => withPage(now, filter, page, reply, visible.current));
        },
        () => inFlight.current.delete(key),
      );
    }
  };
  const before = useRef<Loaded>(undefined);
  const shown = useMemo((): Loaded | undefined => {
    // What was shown stays until the first results of another filter arrive.
    if (!isAll || !library) return loaded?.filter === filter ? loaded : (before.current ?? loaded);
    const others = loaded?.filter === filter ? loaded.pages : [];
    const pages = new Map([...others, [0, { revision, items: library.first }] as const]);
    return { filter, total: library.total, headings: [], pages };
  }, [isAll, library, loaded, filter, revision]);
  before.current = shown;
  useEffect(requestVisible, [revision, filter]);
  return {
    filter,
    selection,
    setFilter,
    showAll,
    follow,
    isLoaded: shown !== undefined,
    total: shown?.total ?? 0,
    headings: shown?.headings ?? [],
    itemAt: (index) => shown?.pages.get(Math.floor(index / pageSize))?.items[index % pageSize],
    load: (from, to) => {
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to - 1) / pageSize)];
      visible.current = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
      requestVisible();
    },
  };
}

/** Returns the filter as it was when the view was hidden. */
function keptFilter(): Filtered {
  const filtered = kept()?.filtered ?? { filter: noFilter, since: null, hasChosenKind: false };
  return { ...filtered, filter: changedFilter(filtered.filter, {}) };
}

/** The visible part of a list, in pixels. */
interface Viewport {
  readonly width: number;
  /** Edges of the visible part, from the top of the list. */
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns the visible part of a list, updated on scrolling and resizing.
 *
 * @param step granularity of scrolling, in pixels
 */
function useViewport(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  step: number,
): Viewport | undefined {
  const [viewport, setViewport] = useState<Viewport>();
  useLayoutEffect(() => {
    const outer = scroller.current;
    const inner = list.current;
    if (!outer || !inner) return undefined;
    const measure = (): void => {
      const { top, height } = outer.getBoundingClientRect();
      const box = inner.getBoundingClientRect();
      const seen = Math.floor((top - box.top) / step) * step;
      setViewport((now) => {
        const next = { width: box.width, top: seen, bottom: seen + Math.ceil(height / step + 1) * step };
        const isSame = now?.width === next.width && now.top === next.top && now.bottom === next.bottom;
        return isSame ? now : next;
      });
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(outer);
    // A child above the list moves the list when its size changes.
    for (const child of outer.children) sizes.observe(child);
    outer.addEventListener('scroll', measure, { passive: true });
    measure();
    return () => {
      sizes.disconnect();
      outer.removeEventListener('scroll', measure);
    };
  }, [scroller, list, step]);
  return viewport;
}

interface HeldPlace {
  readonly width: number | undefined;
  readonly index: number;
  /** Distance of the result from the top of the list, in pixels. */
  readonly top: number;
}

/**
 * Keeps a result where it is on screen when the list gets another width, because its row changes with the number of
 * columns.
 *
 * @param topOfResult returns the distance of a result from the top of the list, in pixels
 * @returns how far the list is going to be scrolled, and a hook that takes the index of the result to keep
 */
function useHeldPlace(
  scroller: RefObject<HTMLElement | null>,
  width: number | undefined,
  topOfResult: (index: number) => number,
) {
  const place = useRef<HeldPlace>(undefined);
  const { current: before } = place;
  const shift = before && before.width !== width ? topOfResult(before.index) - before.top : 0;
  // Read before the new height of the list limits it.
  const scrolled = scroller.current?.scrollTop ?? 0;
  const useIndex = (index: number | undefined): void =>
    useLayoutEffect(() => {
      place.current = index === undefined ? undefined : { width, index, top: topOfResult(index) };
      if (shift === 0) return;
      scroller.current?.scrollTo(0, scrolled + shift);
      // The browser reports it a frame later, and what is drawn until then would be elsewhere.
      scroller.current?.dispatchEvent(new Event('scroll'));
    });
  return [shift, useIndex] as const;
}

/** The pause between two extra rows, in milliseconds; it leaves the main thread free for input. */
const pause = 30;

/**
 * Returns the rows to render: the visible ones at once, then row by row those above and below them.
 *
 * @param visible the rows on screen
 * @param rows the number of rows in the list
 * @param overscan how many rows to render above and below the visible ones
 */
function useRenderedRows(visible: FeedRows, rows: number, overscan: number): FeedRows {
  const rendered = useRef<FeedRows>(visible);
  const [, redraw] = useState(0);
  rendered.current = renderedRows(rendered.current, visible, rows, overscan);
  const { from, to } = rendered.current;
  const isDone = from <= Math.max(0, visible.from - overscan) && to >= Math.min(rows, visible.to + overscan);
  useEffect(() => {
    if (isDone) return undefined;
    const timer = setTimeout(() => {
      rendered.current = { from: from - 1, to: to + 1 };
      redraw((count) => count + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [isDone, from, to]);
  return rendered.current;
}
