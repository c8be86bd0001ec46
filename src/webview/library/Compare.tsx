import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import type { Item } from '../protocol/messages.ts';
import { LargeMedia } from './LargeMedia.tsx';
import { Slider } from './Slider.tsx';
import { SyncedVideos } from './SyncedVideos.tsx';

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
