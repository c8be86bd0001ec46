import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Filter, Item, JobCard, LibraryPart } from '../protocol/messages.ts';
import { FailureCard } from './FailureCard.tsx';
import { FilterLine } from './FilterLine.tsx';
import { JobPlaceholder, JobTile } from './JobTile.tsx';
import type { Cell, Insert } from './layoutFeed.ts';
import { cellsIn, layoutFeed } from './layoutFeed.ts';
import type { OnItem, OnSurface } from './Tile.tsx';
import { Tile } from './Tile.tsx';
import type { Pages } from './usePages.ts';
import { noFilter } from './usePages.ts';
import { useRenderedRows } from './useRenderedRows.ts';
import { useViewport } from './useViewport.ts';

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
    if (!isDrawn) return;
    // Read by the benchmark.
    performance.mark('results');
    onDrawn();
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
    <Tile
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
  if (cell.type === 'insert') return `${cell.insert.job.id} ${cell.cell}`;
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
