import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { Item } from '../protocol/messages.ts';

/** Two images on top of each other, with a slider that moves the border between them. */
export function Slider({ one, other }: { readonly one: Item; readonly other: Item }) {
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
