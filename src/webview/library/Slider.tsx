import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { Item } from '../protocol/messages.ts';

/** Two pictures at the same place: how much of each is seen is moved by hand or by keys. */
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
        aria-label={l10n.t('How much of the first picture is shown')}
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
