import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { request } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import type { Filter, Item, JobCard, LibraryPart, ReplyOf } from '../protocol/messages.ts';
import { pageSize } from '../protocol/messages.ts';
import type { Cell, Insert, Rows } from './layoutFeed.ts';
import { cellsIn, layoutFeed, renderedRows } from './layoutFeed.ts';
import type { OnItem, OnSurface } from './Tile.tsx';
import { FailureCard, JobPlaceholder, JobTile, ResultTile } from './Tile.tsx';

/** In pixels, as in feed.css. */
const gap = 8;
const captionHeight = 22;
/** How many results are rendered before and after the visible ones, so that the Tab key and a search find them. */
const overscanResults = 20;

/** Props that the feeds of the view and of the library tab have in common. */
export interface FeedSource {
  readonly library: LibraryPart | undefined;
  readonly pages: Pages;
  readonly jobs: readonly JobCard[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onItem: OnItem;
  onUsePrompt(job: JobCard): void;
}

interface FeedProps extends FeedSource {
  /** In pixels. */
  readonly minTileWidth: number;
  readonly chosen?: readonly string[];
  readonly onSurface?: OnSurface;
  /** Called when the grid has its height again, so that the scroll position can be restored. */
  onDrawn(): void;
}

interface JobInsert extends Insert {
  readonly job: JobCard;
}

/** Jobs and results, newest first, in a virtualised grid. */
export function Feed(props: FeedProps) {
  const { library, pages, jobs, scroller, minTileWidth, onDrawn } = props;
  const { filter, setFilter, total, itemAt, load } = pages;
  const list = useRef<HTMLUListElement>(null);
  const viewport = useViewport(scroller, list, 40);
  const columns = Math.max(1, Math.floor(((viewport?.width ?? 0) + gap) / (minTileWidth + gap)));
  const rowHeight = Math.floor(((viewport?.width ?? 0) - gap * (columns - 1)) / columns) + captionHeight + gap;
  const layout = layoutFeed(total, insertsOf(jobs, filter), columns);
  const visible = {
    from: Math.max(0, Math.floor((viewport?.top ?? 0) / rowHeight)),
    to: Math.min(layout.rows, Math.ceil((viewport?.bottom ?? 0) / rowHeight) + 1),
  };
  const { from: fromRow, to: toRow } = useRenderedRows(visible, layout.rows, Math.ceil(overscanResults / columns));
  const cells = viewport ? cellsIn(layout, fromRow, toRow) : [];
  const indexes = cells.flatMap((cell) => (cell.type === 'result' ? [cell.index] : []));
  useLayoutEffect(() => {
    load(Math.min(...indexes, total), Math.max(...indexes, 0) + 1);
  });
  const isDrawn = viewport !== undefined && library !== undefined;
  useLayoutEffect(() => {
    if (isDrawn) onDrawn();
  }, [isDrawn]);
  const isEmpty = layout.rows === 0 && library?.isRead;
  return (
    <section class="feed" aria-label={l10n.t('Results')}>
      <FilterLine filter={filter} library={library} onFilter={setFilter} />
      {isEmpty && (
        <p class="empty">
          {filter === noFilter ? l10n.t('Your results appear here.') : l10n.t('No results match the filter.')}
        </p>
      )}
      <ul
        ref={list}
        class="grid"
        style={{
          height: `${layout.rows * rowHeight}px`,
          paddingTop: `${fromRow * rowHeight}px`,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridAutoRows: `${rowHeight - gap}px`,
        }}
        onKeyDown={(event) => moveFocus(event, columns)}
      >
        {cells.map((cell) => (
          <FeedCell key={keyOf(cell, itemAt)} cell={cell} item={itemOf(cell, itemAt)} total={total} feed={props} />
        ))}
      </ul>
    </section>
  );
}

interface FeedCellProps {
  readonly cell: Cell<JobInsert>;
  readonly item: Item | undefined;
  readonly total: number;
  readonly feed: FeedProps;
}

function FeedCell({ cell, item, total, feed }: FeedCellProps) {
  if (cell.type === 'insert') {
    const { job } = cell.insert;
    if (job.state === 'failed') return <FailureCard job={job} onUsePrompt={feed.onUsePrompt} />;
    return cell.cell === 0 ? <JobTile job={job} /> : <JobPlaceholder job={job} />;
  }
  if (!item) return <li class="tile loading" aria-busy="true" />;
  return (
    <ResultTile
      item={item}
      index={cell.index}
      total={total}
      isChosen={feed.chosen?.includes(item.id)}
      onSurface={feed.onSurface}
      onItem={feed.onItem}
    />
  );
}

/** Places the jobs among the results; with a filter, jobs of the right kind come first. */
function insertsOf(jobs: readonly JobCard[], filter: Filter): readonly JobInsert[] {
  const isAll = filter === noFilter;
  return jobs
    .filter(({ kind }) => filter.kind === null || filter.kind === kind)
    .map((job) => ({ job, position: isAll ? job.position : 0, cells: job.state === 'failed' ? 0 : job.files }));
}

function itemOf(cell: Cell<JobInsert>, itemAt: (index: number) => Item | undefined): Item | undefined {
  return cell.type === 'result' ? itemAt(cell.index) : undefined;
}

function keyOf(cell: Cell<JobInsert>, itemAt: (index: number) => Item | undefined): string {
  if (cell.type === 'insert') return `${cell.insert.job.run} ${cell.cell}`;
  return itemAt(cell.index)?.id ?? `${cell.index}`;
}

/** Moves the focus between tiles with the arrow keys, unless a control within a tile has the focus. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, columns: number): void {
  const { key, target, currentTarget } = event;
  const tile = target instanceof HTMLElement && target.matches('.surface') ? target.closest('li') : null;
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

interface FilterLineProps {
  readonly filter: Filter;
  readonly library: LibraryPart | undefined;
  onFilter(filter: Filter): void;
}

/** Filters the results by words and kind; a button reveals model and sandbox. */
function FilterLine({ filter, library, onFilter }: FilterLineProps) {
  const [isMore, setMore] = useState(false);
  const moreId = useId();
  const change = (changes: Partial<Filter>): void => {
    const next = { ...filter, ...changes };
    const isAll = next.words === '' && next.kind === null && next.model === null && !next.sandbox;
    onFilter(isAll ? noFilter : next);
  };
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
          onChange={({ currentTarget }) => change({ kind: kindOf(currentTarget.value) })}
        >
          <option value="">{l10n.t('All')}</option>
          <option value="images">{l10n.t('Images')}</option>
          <option value="speech">{l10n.t('Speech')}</option>
          <option value="transcripts">{l10n.t('Transcripts')}</option>
          <option value="videos">{l10n.t('Videos')}</option>
        </select>
        <button
          type="button"
          class="tool"
          title={l10n.t('More Filters')}
          aria-label={l10n.t('More Filters')}
          aria-expanded={isMore}
          aria-controls={isMore ? moreId : undefined}
          onClick={() => setMore(!isMore)}
        >
          <Icon name="filter" />
        </button>
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
          <label class="switch">
            <input
              type="checkbox"
              checked={filter.sandbox}
              onChange={({ currentTarget }) => change({ sandbox: currentTarget.checked })}
            />
            <span>{l10n.t('Made by the sandbox')}</span>
          </label>
        </div>
      )}
    </search>
  );
}

function kindOf(value: string): Filter['kind'] {
  switch (value) {
    case 'images':
    case 'speech':
    case 'transcripts':
    case 'videos':
      return value;
    default:
      return null;
  }
}

const noFilter: Filter = { words: '', kind: null, model: null, sandbox: false };

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

/** The visible part of a list, in pixels. */
export interface Viewport {
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

/** The pause between two extra rows, in milliseconds; it leaves the main thread free for input. */
const pause = 30;

/**
 * Returns the rows to render: the visible ones at once, then row by row those above and below them.
 *
 * @param visible the rows on screen
 * @param rows the number of rows in the list
 * @param overscan how many rows to render above and below the visible ones
 */
function useRenderedRows(visible: Rows, rows: number, overscan: number): Rows {
  const rendered = useRef<Rows>(visible);
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
