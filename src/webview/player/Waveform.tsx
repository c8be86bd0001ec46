import * as l10n from '@vscode/l10n';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PlayerCue } from '../protocol/player.ts';
import { clock, cueAt } from './cues.ts';

interface WaveformProps {
  readonly cues: readonly PlayerCue[];
  /** Percent of the loudest, at even distances; empty until they are measured. */
  readonly peaks: readonly number[];
  /** Milliseconds. */
  readonly now: number;
  readonly duration: number;
  readonly seek: (milliseconds: number) => void;
}

/** Colours of the speakers, from the theme; the first is also that of recordings without speakers. */
const colours = ['blue', 'orange', 'green', 'purple', 'red', 'yellow'].map((name) => `--vscode-charts-${name}`);
/** Width of a column and the space after it, in pixels. */
const columnWidth = 3;

/** The waveform with the speakers in colours, below the slider that moves in it. */
export function Waveform({ cues, peaks, now, duration, seek }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const speakers = useMemo(() => [...new Set(cues.map(({ speaker }) => speaker ?? ''))], [cues]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const draw = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      const scale = window.devicePixelRatio;
      [element.width, element.height] = [width * scale, height * scale];
      const context = element.getContext('2d');
      if (!context || peaks.length === 0) return;
      context.scale(scale, scale);
      const style = getComputedStyle(element);
      for (let x = 0; x < width; x += columnWidth) {
        const first = Math.floor((x / width) * peaks.length);
        const last = Math.max(first + 1, Math.floor(((x + columnWidth) / width) * peaks.length));
        const peak = Math.max(0, ...peaks.slice(first, last));
        const cue = cues[cueAt(cues, (x / width) * duration)];
        const speaker = speakers.indexOf(cue?.speaker ?? '');
        const bar = Math.max(1, (peak / 100) * height);
        context.globalAlpha = (x / width) * duration <= now ? 1 : 0.45;
        context.fillStyle = style.getPropertyValue(colours[Math.max(0, speaker) % colours.length] ?? '');
        context.fillRect(x, (height - bar) / 2, columnWidth - 1, bar);
      }
    };
    draw();
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    return () => resized.disconnect();
  }, [cues, speakers, peaks, Math.round(now / 250), duration]);
  return (
    <div class="waveform">
      <canvas ref={canvas} />
      <input
        type="range"
        aria-label={l10n.t('Position')}
        aria-valuetext={l10n.t('{0} of {1}', clock(now), clock(duration))}
        min={0}
        max={Math.max(1, Math.round(duration))}
        step={1000}
        value={now}
        onInput={({ currentTarget: { value } }) => seek(Number(value))}
      />
    </div>
  );
}
