import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FeedSource, Pages } from '../feed/Feed.tsx';
import { Feed } from '../feed/Feed.tsx';
import { ItemMedia, LargeMedia, PlayerControls } from '../feed/ItemMedia.tsx';
import type { OnItem, OnSurface } from '../feed/Tile.tsx';
import { actionsOf } from '../feed/Tile.tsx';
import { request } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import type { Details, Item } from '../protocol/messages.ts';

/** In pixels. */
const minTileWidth = 150;
const maxCompared = 4;

interface LibraryPageProps extends FeedSource {
  /** The id of the result that another view asked to select. */
  readonly requested: string | undefined;
  readonly composer: ComponentChildren;
  readonly children: ComponentChildren;
}

interface Selected {
  readonly id: string;
  /** Its position in the list when it was selected; -1 if unknown. */
  readonly index: number;
}

/** The library in an editor tab: composer, gallery and the details of the selected result. */
export function LibraryPage(props: LibraryPageProps) {
  const { library, pages, jobs, scroller, requested, composer, children, onItem, onUsePrompt } = props;
  const [selected, setSelected] = useState<Selected>();
  const [isComparing, setComparing] = useState(false);
  const { chosen, toggle, clear } = useChosen();
  useEffect(() => {
    if (requested !== undefined) setSelected({ id: requested, index: -1 });
  }, [requested]);
  const onSurface: OnSurface = (item, index, event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) toggle(item);
    else setSelected({ id: item.id, index });
  };
  const act: OnItem = (item, action) => {
    if (action === 'compare') toggle(item);
    else onItem(item, action);
  };
  const select = (item: Item): void => setSelected({ id: item.id, index: -1 });
  return (
    <div class={selected ? 'library with-details' : 'library'} data-place="tab">
      <aside class="side" aria-label={l10n.t('Composer')}>
        {composer}
      </aside>
      <div class="scroller gallery" ref={scroller}>
        {chosen.length > 0 && (
          <div class="chosen-bar">
            <span role="status">{l10n.t('{0} selected', chosen.length)}</span>
            <button type="button" aria-disabled={chosen.length < 2} onClick={() => setComparing(chosen.length > 1)}>
              {l10n.t('Compare')}
            </button>
            <button type="button" onClick={clear}>
              {l10n.t('Clear Selection')}
            </button>
            {chosen.length < 2 && (
              <span class="hint">
                {l10n.t('To compare results, select up to {0} with Shift+click or More Actions.', maxCompared)}
              </span>
            )}
          </div>
        )}
        <Feed
          library={library}
          pages={pages}
          jobs={jobs}
          scroller={scroller}
          minTileWidth={minTileWidth}
          chosen={chosen.length > 0 ? chosen.map(({ id }) => id) : selected ? [selected.id] : []}
          onSurface={onSurface}
          onItem={act}
          onUsePrompt={onUsePrompt}
          onDrawn={() => undefined}
        />
      </div>
      {selected && (
        <DetailsPane
          id={selected.id}
          index={selected.index}
          revision={library?.revision ?? 0}
          pages={pages}
          onSelect={select}
          onMove={(item, index) => setSelected({ id: item.id, index })}
          onItem={act}
          onClose={() => setSelected(undefined)}
        />
      )}
      {isComparing && <Compare items={chosen} onClose={() => setComparing(false)} />}
      {children}
    </div>
  );
}

function useChosen() {
  const [chosen, setChosen] = useState<readonly Item[]>([]);
  const toggle = (item: Item): void =>
    setChosen((now) => {
      const others = now.filter(({ id }) => id !== item.id);
      if (others.length < now.length || item.source === undefined) return others;
      return [...now, item].slice(-maxCompared);
    });
  return { chosen, toggle, clear: () => setChosen([]) };
}

interface DetailsPaneProps {
  readonly id: string;
  /** Position in the list; -1 if unknown. */
  readonly index: number;
  /** The library's revision; the details are loaded again when it changes. */
  readonly revision: number;
  readonly pages: Pages;
  readonly onItem: OnItem;
  onSelect(item: Item): void;
  onMove(item: Item, index: number): void;
  onClose(): void;
}

/** The selected result: the media at full size, its actions, facts and lineage. */
function DetailsPane(props: DetailsPaneProps) {
  const { id, revision, pages, onItem, onSelect, onMove, onClose } = props;
  const [details, setDetails] = useState<Details>();
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    let isCurrent = true;
    request('details', { id }).then(
      (reply) => isCurrent && setDetails(reply),
      // The result was removed from the library.
      () => isCurrent && onClose(),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, revision]);
  const index = details?.item.id === id && props.index < 0 ? details.position : props.index;
  const neighbour = (step: number): Item | undefined => pages.itemAt(index + step);
  const move = (step: number): void => {
    const item = neighbour(step);
    if (item) onMove(item, index + step);
  };
  // The neighbours may be on a page that is not loaded yet.
  useEffect(() => {
    if (index >= 0) pages.load(Math.max(0, index - 1), Math.min(pages.total, index + 2));
  }, [index]);
  if (!details) return <section class="details" aria-label={l10n.t('Details')} aria-busy="true" />;
  const { item, prompt, facts, origins, results } = details;
  const { icons, more } = actionsOf(item, 'tab');
  return (
    <section
      ref={pane}
      class="details"
      aria-label={l10n.t('Details')}
      onKeyDown={(event) => {
        const isMedia =
          event.target instanceof HTMLElement && event.target.matches('input, video, audio, [role^=menu]');
        if (isMedia) return;
        if (event.key === 'ArrowRight' || event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Escape') onClose();
        else return;
        event.preventDefault();
      }}
    >
      <div class="details-bar">
        <ToolButton name={l10n.t('Previous')} icon="arrowLeft" isDisabled={!neighbour(-1)} onClick={() => move(-1)} />
        <ToolButton name={l10n.t('Next')} icon="arrowRight" isDisabled={!neighbour(1)} onClick={() => move(1)} />
        <span class="space" />
        <ToolButton name={l10n.t('Close Details')} icon="close" onClick={onClose} />
      </div>
      <LargeMedia item={item} />
      <div class="details-actions">
        {icons
          .filter((action) => action.id !== 'play')
          .map((action) => (
            <ToolButton
              key={action.id}
              name={action.title}
              icon={action.icon}
              onClick={() => onItem(item, action.id)}
            />
          ))}
        <MenuButton
          name={l10n.t('More Actions')}
          icon="ellipsis"
          entries={more}
          onChoose={(id) => {
            const action = more.find((one) => one.id === id);
            if (action) onItem(item, action.id);
          }}
        />
      </div>
      {prompt !== undefined && (
        <p class="whole-prompt" dir="auto">
          {prompt}
        </p>
      )}
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      <Lineage title={l10n.t('Made From')} items={origins} onSelect={onSelect} />
      <Lineage title={l10n.t('Derived Results')} items={results} onSelect={onSelect} />
    </section>
  );
}

interface ToolButtonProps {
  readonly name: string;
  readonly icon: Parameters<typeof Icon>[0]['name'];
  readonly isDisabled?: boolean;
  onClick(): void;
}

function ToolButton({ name, icon, isDisabled = false, onClick }: ToolButtonProps) {
  return (
    <button type="button" class="tool" title={name} aria-label={name} aria-disabled={isDisabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface LineageProps {
  readonly title: string;
  readonly items: readonly Item[];
  onSelect(item: Item): void;
}

/** Related results, as thumbnails that select them. */
function Lineage({ title, items, onSelect }: LineageProps) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="lineage" aria-label={title}>
        {items.map((item) => (
          <li key={item.id}>
            <ItemMedia item={item} />
            <button
              type="button"
              class="surface"
              title={item.words ?? item.name}
              aria-label={item.words ?? item.name}
              onClick={() => onSelect(item)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface CompareProps {
  readonly items: readonly Item[];
  onClose(): void;
}

/** Compares two to four results: two images with a slider, videos in sync, anything else side by side. */
function Compare({ items, onClose }: CompareProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="compare" aria-label={l10n.t('Compare')} onClose={onClose}>
      <div class="details-bar">
        <h2>{l10n.t('Compare')}</h2>
        <span class="space" />
        <button
          type="button"
          class="tool"
          title={l10n.t('Close')}
          aria-label={l10n.t('Close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <Compared items={items} />
    </dialog>
  );
}

function Compared({ items }: { readonly items: readonly Item[] }) {
  const [one, other] = items;
  if (one && other && items.length === 2 && items.every(({ kind }) => kind === 'images')) {
    return <Slider one={one} other={other} />;
  }
  if (items.every(({ kind }) => kind === 'videos')) return <SyncedVideos items={items} />;
  return (
    <ul class="compared">
      {items.map((item) => (
        <li key={item.id}>
          <LargeMedia item={item} />
          <p dir="auto">{item.words ?? item.name}</p>
        </li>
      ))}
    </ul>
  );
}

/** Two images on top of each other, with a slider that moves the border between them. */
function Slider({ one, other }: { readonly one: Item; readonly other: Item }) {
  const [percent, setPercent] = useState(50);
  return (
    <div class="slider">
      <div class="slider-pictures">
        <img src={one.source} alt={one.words ?? one.name} />
        <img src={other.source} alt={other.words ?? other.name} style={{ clipPath: `inset(0 0 0 ${percent}%)` }} />
        <span class="slider-line" style={{ left: `${percent}%` }} />
      </div>
      <input
        type="range"
        min={0}
        max={100}
        value={percent}
        aria-label={l10n.t('Visible part of the first image')}
        aria-valuetext={`${percent} %`}
        onInput={({ currentTarget }) => setPercent(Number(currentTarget.value))}
      />
      <p class="slider-words">
        <span dir="auto">{one.words ?? one.name}</span>
        <span dir="auto">{other.words ?? other.name}</span>
      </p>
    </div>
  );
}

/** Videos may drift this far apart before they are aligned, in seconds; a smaller drift is not visible. */
const maxDrift = 0.08;

/** Videos side by side that play, pause and seek together. */
function SyncedVideos({ items }: { readonly items: readonly Item[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [length, setLength] = useState(0);
  const videos = () => [...(list.current?.querySelectorAll('video') ?? [])];
  const seek = (to: number): void => {
    for (const video of videos()) video.currentTime = Math.min(to, video.duration || to);
    setTime(to);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (time >= length) seek(0);
    for (const video of videos()) void video.play().catch(() => setPlaying(false));
    const timer = setInterval(() => {
      const all = videos();
      const leader = all.toSorted((a, b) => b.duration - a.duration)[0];
      if (!leader) return;
      setTime(leader.currentTime);
      for (const video of all) {
        const hasDrifted = Math.abs(video.currentTime - leader.currentTime) > maxDrift;
        if (hasDrifted && !video.ended && !video.seeking) video.currentTime = leader.currentTime;
      }
      if (leader.ended) setPlaying(false);
    }, 100);
    return () => {
      clearInterval(timer);
      for (const video of videos()) video.pause();
    };
  }, [isPlaying]);
  return (
    <>
      <ul class="compared" ref={list}>
        {items.map(({ id, source, name, words }) => (
          <li key={id}>
            <video
              src={source}
              muted
              preload="auto"
              aria-label={words ?? name}
              onLoadedMetadata={({ currentTarget }) => setLength((now) => Math.max(now, currentTarget.duration))}
            />
            <p dir="auto">{words ?? name}</p>
          </li>
        ))}
      </ul>
      <div class="player">
        <PlayerControls
          isPlaying={isPlaying}
          time={time}
          length={length}
          step={0.05}
          shownTime={time}
          onToggle={() => setPlaying(!isPlaying)}
          onSeek={seek}
        />
      </div>
    </>
  );
}
