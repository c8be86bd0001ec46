import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { IconName } from '../parts/Icon.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { Item } from '../protocol/messages.ts';
import { atFirstFrame, saveFirstFrame } from './firstFrame.ts';
import { duration } from './time.ts';

export const kindIcons: Readonly<Record<Item['kind'], IconName>> = {
  images: 'image',
  speech: 'speech',
  transcripts: 'transcript',
  videos: 'video',
};

/** The still view of a result: image, first frame or text. */
export function ItemMedia({ item }: { readonly item: Item }) {
  const { kind, source, words, name, text, isMissing } = item;
  if (source === undefined) {
    return (
      <span class="placeholder">
        <Icon name={isMissing ? 'warning' : 'cloud'} />
        <span>{isMissing ? l10n.t('missing') : l10n.t('no file')}</span>
      </span>
    );
  }
  switch (kind) {
    case 'images':
      return <img src={source} alt={words ?? name} loading="lazy" decoding="async" draggable={false} />;
    case 'videos':
      return <FirstFrame item={item} source={source} />;
    case 'speech':
      return (
        <span class="words" dir="auto">
          {words ?? name}
        </span>
      );
    case 'transcripts':
      return (
        <span class="words" dir="auto">
          {text}
        </span>
      );
  }
}

/** The saved first frame of a video. Without one, the video itself, from which the frame is then captured. */
function FirstFrame({ item, source }: { readonly item: Item; readonly source: string }) {
  const [seconds, setSeconds] = useState(item.seconds);
  return (
    <>
      {item.preview === undefined ? (
        <video
          src={atFirstFrame(source)}
          crossOrigin="anonymous"
          preload="auto"
          muted
          tabIndex={-1}
          aria-label={item.words ?? item.name}
          onLoadedMetadata={({ currentTarget }) => setSeconds(currentTarget.duration)}
          onSeeked={({ currentTarget }) => void saveFirstFrame(item.id, currentTarget)}
        />
      ) : (
        <img src={item.preview} alt={item.words ?? item.name} loading="lazy" decoding="async" draggable={false} />
      )}
      <span class="length">
        <Icon name="video" />
        {seconds === undefined || !Number.isFinite(seconds) ? '' : duration(seconds)}
      </span>
    </>
  );
}
