import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlayerCue } from '../protocol/player.ts';
import { clock } from './cues.ts';

interface CueListProps {
  readonly cues: readonly PlayerCue[];
  /** Indexes of the cues to show. */
  readonly found: readonly number[];
  /** Index of the cue that is heard; -1 before the first. */
  readonly current: number;
  readonly follows: boolean;
  readonly play: (milliseconds: number) => void;
  /** Called when the person scrolls while the list follows. */
  readonly onScrolledAway: () => void;
}

/** In pixels; also in player.css. All rows have the same height, so only the visible ones are drawn. */
const rowHeight = 24;
/** Rows that are drawn above and below the visible ones. */
const margin = 10;

/** The cues, of which the one that is heard is marked. The list is one stop of the Tab key; arrows move inside it. */
export function CueList({ cues, found, current, follows, play, onScrolledAway }: CueListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [focused, setFocused] = useState<number>();
  const row = found.indexOf(current);
  useEffect(() => {
    if (follows && row >= 0) reveal(list.current, row);
  }, [follows, row]);
  useEffect(() => {
    if (focused === undefined) return;
    reveal(list.current, focused);
    list.current?.querySelector<HTMLElement>(`[data-row="${focused}"]`)?.focus();
  }, [focused]);
  if (cues.length === 0) {
    return <p class="empty">{l10n.t('There are no subtitles beside this recording.')}</p>;
  }
  if (found.length === 0) return <p class="empty">{l10n.t('No cue has these words.')}</p>;
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(found.length, Math.ceil((view.top + view.height) / rowHeight) + margin);
  const tabStop = focused ?? Math.min(found.length - 1, Math.max(0, row, Math.ceil(view.top / rowHeight)));
  const move = (event: KeyboardEvent): void => {
    const to = movedRow(event.key, focused ?? tabStop, found.length, Math.floor(view.height / rowHeight));
    if (to === undefined) return;
    event.preventDefault();
    onScrolledAway();
    setFocused(to);
  };
  return (
    <div
      ref={list}
      class="cues"
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => setView({ top: scrollTop, height: clientHeight })}
      onWheel={() => follows && onScrolledAway()}
    >
      <ul
        class="all-cues"
        aria-label={l10n.t('Cues')}
        style={{ height: `${found.length * rowHeight}px` }}
        onKeyDown={move}
      >
        {found.slice(first, last).map((index, offset) => {
          const cue = cues[index];
          const place = first + offset;
          return (
            cue && (
              <li
                key={index}
                aria-posinset={place + 1}
                aria-setsize={found.length}
                style={{ top: `${place * rowHeight}px` }}
                class="cue"
              >
                <button
                  type="button"
                  data-row={place}
                  tabIndex={place === tabStop ? 0 : -1}
                  aria-current={index === current ? 'true' : undefined}
                  title={cue.text}
                  onFocus={() => setFocused(place)}
                  onClick={() => play(cue.start)}
                >
                  <span class="at">{clock(cue.start)}</span>
                  {cue.speaker && <span class="speaker">{cue.speaker}</span>}
                  <span class="words">{cue.text}</span>
                </button>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function movedRow(key: string, row: number, rows: number, page: number): number | undefined {
  const to = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: row - page, PageDown: row + page, Home: 0, End: rows - 1 };
  const moved = to[key as keyof typeof to];
  return moved === undefined ? undefined : Math.max(0, Math.min(rows - 1, moved));
}

/** Scrolls only as far as needed to show a row. */
function reveal(list: HTMLElement | null, row: number): void {
  if (!list) return;
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
