import * as l10n from '@vscode/l10n';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import { duration } from './time.ts';

/** Plays a sound where the browser's own player has no room. */
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
      {/* biome-ignore lint/a11y/useMediaCaption: its words are the text that was spoken */}
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
      <button
        type="button"
        class="tool"
        title={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
        aria-label={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
        onClick={toggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        aria-label={l10n.t('Position')}
        aria-valuetext={duration(time)}
        min={0}
        max={length || 1}
        step={0.1}
        value={time}
        onInput={({ currentTarget }) => {
          if (audio.current) audio.current.currentTime = Number(currentTarget.value);
        }}
      />
      <span class="time">{duration(isPlaying || time > 0 ? time : length)}</span>
    </div>
  );
}
