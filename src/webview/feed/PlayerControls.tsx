import * as l10n from '@vscode/l10n';
import { Icon } from '../parts/Icon.tsx';
import { duration } from './time.ts';

interface PlayerControlsProps {
  readonly isPlaying: boolean;
  /** Position, length and step of the slider, in seconds. */
  readonly time: number;
  readonly length: number;
  readonly step: number;
  /** The time to show, in seconds. */
  readonly shownTime: number;
  onToggle(): void;
  onSeek(seconds: number): void;
}

/** A play button, a position slider and the time. */
export function PlayerControls(props: PlayerControlsProps) {
  const { isPlaying, time, length, step, shownTime, onToggle, onSeek } = props;
  const name = isPlaying ? l10n.t('Pause') : l10n.t('Play');
  return (
    <>
      <button type="button" class="tool" title={name} aria-label={name} onClick={onToggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        aria-label={l10n.t('Position')}
        aria-valuetext={duration(time)}
        min={0}
        max={length || 1}
        step={step}
        value={time}
        onInput={({ currentTarget }) => onSeek(Number(currentTarget.value))}
      />
      <span class="time">{duration(shownTime)}</span>
    </>
  );
}
