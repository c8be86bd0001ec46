import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LargeMedia, PlayerControls } from '../feed/ItemMedia.tsx';
import { post } from '../host.ts';
import { Dialog } from '../parts/Dialog.tsx';
import type { FeedItem, ResultVariant } from '../protocol/messages.ts';

interface CompareProps {
  readonly title?: string;
  /** @param close closes the dialog */
  children(close: () => void): ComponentChildren;
  onClose(): void;
}

/** A dialog with results side by side. */
export function Compare({ title = l10n.t('Compare'), children, onClose }: CompareProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = (
    <>
      <h2>{title}</h2>
      <span class="space" />
    </>
  );
  return (
    <Dialog
      dialog={dialog}
      class="compare"
      name={title}
      bar={{ class: 'details-bar', children: heading }}
      onClose={onClose}
    >
      {children(() => dialog.current?.close())}
    </Dialog>
  );
}

interface ComparedProps {
  readonly items: readonly FeedItem[];
  onKeep(item: FeedItem): void;
}

/** Two to four results: two images with a slider, videos in sync, anything else side by side. */
export function Compared({ items, onKeep }: ComparedProps) {
  // Variants have the same prompt: their file names tell them apart.
  const isSame = new Set(items.map(nameOf)).size < items.length;
  const shown = isSame ? items.map((item) => ({ ...item, words: item.name })) : items;
  return <DistinctResults items={shown} onKeep={(item) => onKeep(items[shown.indexOf(item)] ?? item)} />;
}

function DistinctResults({ items, onKeep }: ComparedProps) {
  const [one, other] = items;
  const keep = (item: FeedItem) => <KeepButton name={nameOf(item)} onKeep={() => onKeep(item)} />;
  if (one && other && items.length === 2 && items.every(({ kind }) => kind === 'images')) {
    return <Slider one={one} other={other} keep={[keep(one), keep(other)]} />;
  }
  if (items.every(({ kind }) => kind === 'videos')) return <SyncedVideos items={items} keep={keep} />;
  return (
    <ul class="compared">
      {items.map((item) => (
        <li key={item.id}>
          <LargeMedia item={item} />
          <p class="compared-name">
            <span dir="auto">{nameOf(item)}</span>
            {keep(item)}
          </p>
        </li>
      ))}
    </ul>
  );
}

function KeepButton({ name, onKeep }: { readonly name: string; onKeep(): void }) {
  return (
    <button type="button" aria-description={name} onClick={onKeep}>
      {l10n.t('Keep This')}
    </button>
  );
}

/** Variants of an asset of a manifest. */
export interface ComparedVariants {
  /** Increases with each comparison. */
  readonly asked: number;
  /** The path of the asset. */
  readonly name: string;
  readonly variants: readonly ResultVariant[];
}

/** The variants of an asset side by side, of which the person keeps one. */
export function Variants({ variants: { name, variants } }: { readonly variants: ComparedVariants }) {
  const [isOpen, setOpen] = useState(true);
  const chosen = useRef<number | null>(null);
  if (!isOpen) return null;
  return (
    <Compare
      title={l10n.t('Variants of {0}', name)}
      onClose={() => {
        setOpen(false);
        post('chooseVariant', { number: chosen.current });
      }}
    >
      {(close) => (
        <ul class="compared">
          {variants.map(({ number, source, isChosen }) => {
            const title = isChosen ? l10n.t('Variant {0}, used now', number) : l10n.t('Variant {0}', number);
            return (
              <li key={number}>
                <div class="large">
                  <img src={source} alt={title} />
                </div>
                <p class="compared-name">
                  <span>{title}</span>
                  <KeepButton
                    name={title}
                    onKeep={() => {
                      chosen.current = number;
                      close();
                    }}
                  />
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </Compare>
  );
}

/** What can be compared: a result, or a file that it was made from. */
export type Picture = Pick<FeedItem, 'name' | 'source' | 'words'>;

function nameOf({ name, words }: Picture): string {
  return words ?? name;
}

interface SliderProps {
  readonly one: Picture;
  readonly other: Picture;
  /** Their buttons. */
  readonly keep?: readonly [ComponentChildren, ComponentChildren];
}

/** Two images on top of each other, with a slider that moves the border between them. */
export function Slider({ one, other, keep = [null, null] }: SliderProps) {
  const [percent, setPercent] = useState(50);
  return (
    <div class="slider">
      <div class="slider-pictures">
        <img src={one.source} alt={nameOf(one)} />
        <img src={other.source} alt={nameOf(other)} style={{ clipPath: `inset(0 0 0 ${percent}%)` }} />
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
      <div class="slider-words">
        <span class="compared-name">
          <span dir="auto">{nameOf(one)}</span>
          {keep[0]}
        </span>
        <span class="compared-name">
          <span dir="auto">{nameOf(other)}</span>
          {keep[1]}
        </span>
      </div>
    </div>
  );
}

/** Videos may drift this far apart before they are aligned, in seconds; a smaller drift is not visible. */
const maxDrift = 0.08;

/** Videos side by side that play, pause and seek together. */
function SyncedVideos({
  items,
  keep,
}: {
  readonly items: readonly FeedItem[];
  keep(item: FeedItem): ComponentChildren;
}) {
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
        {items.map((item) => (
          <li key={item.id}>
            <video
              src={item.source}
              muted
              preload="auto"
              aria-label={nameOf(item)}
              onLoadedMetadata={({ currentTarget }) => setLength((now) => Math.max(now, currentTarget.duration))}
            />
            <p class="compared-name">
              <span dir="auto">{nameOf(item)}</span>
              {keep(item)}
            </p>
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
