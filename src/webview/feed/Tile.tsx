import * as l10n from '@vscode/l10n';
import { memo } from 'preact/compat';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import type { Item } from '../protocol/messages.ts';
import { ItemMedia } from './ItemMedia.tsx';
import type { TileAction } from './itemActions.ts';
import { Player } from './Player.tsx';
import { TileActions } from './TileActions.tsx';

export type OnItem = (item: Item, action: TileAction) => void;

/** Handles a click on a tile; without it a click opens the file. */
export type OnSurface = (item: Item, index: number, event: MouseEvent) => void;

interface TileProps {
  readonly item: Item;
  readonly index: number;
  readonly total: number;
  /** Whether the result is chosen; undefined where results cannot be chosen. */
  readonly isChosen?: boolean | undefined;
  readonly onSurface?: OnSurface | undefined;
  readonly onItem: OnItem;
}

/** A result: its media, its caption and, on hover or focus, its actions. */
export const Tile = memo(function Tile({ item, index, total, isChosen, onSurface, onItem }: TileProps) {
  const [isPlaying, setPlaying] = useState(false);
  const captionId = useId();
  const { kind, name, words, source, isSilent } = item;
  const act = (action: TileAction): void => {
    if (action === 'play') setPlaying(!isPlaying);
    else onItem(item, action);
  };
  return (
    <li
      class={`tile ${kind}`}
      aria-label={words ?? name}
      aria-setsize={total}
      aria-posinset={index + 1}
      data-index={index}
      draggable={source !== undefined}
      onDragStart={({ dataTransfer }) => {
        if (!dataTransfer || item.uri === undefined) return;
        for (const type of ['text/uri-list', 'application/vnd.code.uri-list']) dataTransfer.setData(type, item.uri);
        dataTransfer.effectAllowed = 'copyLink';
      }}
    >
      <div class="media">
        {isPlaying && source !== undefined ? (
          // biome-ignore lint/a11y/useMediaCaption: the service generates no captions
          <video controls autoplay src={source} aria-label={name} onEnded={() => setPlaying(false)} />
        ) : (
          <>
            <ItemMedia item={item} />
            {/* The button lies over the media instead of around it, so that screen readers read both. */}
            <button
              type="button"
              class="surface"
              aria-label={onSurface ? l10n.t('Show Details') : l10n.t('Open')}
              aria-describedby={captionId}
              aria-pressed={isChosen}
              disabled={!onSurface && source === undefined}
              onClick={(event) => (onSurface ? onSurface(item, index, event) : onItem(item, 'open'))}
              onDblClick={() => onSurface && onItem(item, 'open')}
            />
          </>
        )}
        {isSilent && (
          <button
            type="button"
            class="tool badge"
            title={l10n.t('VS Code cannot play the AAC sound of this video. Open Externally')}
            aria-label={l10n.t('VS Code cannot play the AAC sound of this video. Open Externally')}
            onClick={() => act('openExternally')}
          >
            <Icon name="mute" />
          </button>
        )}
        <TileActions
          item={item}
          place={onSurface ? 'tab' : 'view'}
          isPlaying={isPlaying}
          captionId={captionId}
          onAct={act}
        />
      </div>
      {kind === 'speech' && source !== undefined && <Player source={source} name={name} />}
      <p
        id={captionId}
        class="caption"
        dir="auto"
        title={[words ?? name, item.title, item.model, item.sandbox ? l10n.t('sandbox') : '']
          .filter(Boolean)
          .join('\n')}
      >
        {item.sandbox && <Icon name="beaker" />}
        <span>{words ?? name}</span>
      </p>
    </li>
  );
});
