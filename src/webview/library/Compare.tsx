import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LargeMedia, PlayerControls } from '../feed/ItemMedia.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { Item } from '../protocol/messages.ts';

interface CompareProps {
  readonly items: readonly Item[];
  onClose(): void;
}

/** Compares two to four results: two images with a slider, videos in sync, anything else side by side. */
export function Compare({ items, onClose }: CompareProps) {
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
