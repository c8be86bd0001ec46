import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { duration } from '../feed/time.ts';
import { Icon } from '../parts/Icon.tsx';
import type { Item } from '../protocol/messages.ts';

/** In seconds: nobody sees less. */
const maxApart = 0.08;

/** Videos that are played, stopped and wound together. */
export function InStep({ items }: { readonly items: readonly Item[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [length, setLength] = useState(0);
  const videos = () => [...(list.current?.querySelectorAll('video') ?? [])];
  const wind = (to: number): void => {
    for (const video of videos()) video.currentTime = Math.min(to, video.duration || to);
    setTime(to);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (time >= length) wind(0);
    for (const video of videos()) void video.play().catch(() => setPlaying(false));
    const timer = setInterval(() => {
      const all = videos();
      const leader = all.toSorted((a, b) => b.duration - a.duration)[0];
      if (!leader) return;
      setTime(leader.currentTime);
      for (const video of all) {
        const isApart = Math.abs(video.currentTime - leader.currentTime) > maxApart;
        if (isApart && !video.ended && !video.seeking) video.currentTime = leader.currentTime;
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
        <button
          type="button"
          class="tool"
          title={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
          aria-label={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
          onClick={() => setPlaying(!isPlaying)}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </button>
        <input
          type="range"
          aria-label={l10n.t('Position')}
          aria-valuetext={duration(time)}
          min={0}
          max={length || 1}
          step={0.05}
          value={time}
          onInput={({ currentTarget }) => wind(Number(currentTarget.value))}
        />
        <span class="time">{duration(time)}</span>
      </div>
    </>
  );
}
