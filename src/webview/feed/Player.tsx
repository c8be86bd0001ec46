import { useRef, useState } from 'preact/hooks';
import { PlayerControls } from './PlayerControls.tsx';

/** An audio player for tiles, where the browser's own player does not fit. */
export function Player({ source, name }: { readonly source: string; readonly name: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [length, setLength] = useState(0);
  const [time, setTime] = useState(0);
  const toggle = (): void => {
    if (isPlaying) audio.current?.pause();
    else audio.current?.play().catch(() => setPlaying(false));
  };
  return (
    <div class="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the caption would be the text that was spoken */}
      <audio
        ref={audio}
        src={source}
        preload="metadata"
        aria-label={name}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => setTime(currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget }) => setLength(currentTarget.duration)}
      />
      <PlayerControls
        isPlaying={isPlaying}
        time={time}
        length={length}
        step={0.1}
        shownTime={isPlaying || time > 0 ? time : length}
        onToggle={toggle}
        onSeek={(seconds) => {
          if (audio.current) audio.current.currentTime = seconds;
        }}
      />
    </div>
  );
}
