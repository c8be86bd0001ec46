import { useEffect, useRef, useState } from 'preact/hooks';
import { PlayerControls } from '../feed/PlayerControls.tsx';
import type { Item } from '../protocol/messages.ts';

/** Videos may drift this far apart before they are aligned, in seconds; a smaller drift is not visible. */
const maxDrift = 0.08;

/** Videos side by side that play, pause and seek together. */
export function SyncedVideos({ items }: { readonly items: readonly Item[] }) {
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
