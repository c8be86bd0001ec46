import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isEditableImage } from '../../operations/operations.ts';
import { post } from '../host.ts';
import { clock } from '../parts/clock.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { Menu, MenuButton, type PagePosition } from '../parts/Menu.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import type { FeedItem, ItemAction, JobCard, Start } from '../protocol/messages.ts';
import { ItemMedia, kindIcons, Player, useNow } from './ItemMedia.tsx';

export type OnItem = (item: FeedItem, action: TileAction) => void;

/** Handles a click on a tile; without it a click opens the file. */
export type OnSurface = (item: FeedItem, index: number, event: MouseEvent) => void;

interface TileProps {
  readonly item: FeedItem;
  readonly index: number;
  readonly total: number;
  /** Whether the result is chosen; undefined where results cannot be chosen. */
  readonly isChosen?: boolean;
  readonly onSurface?: OnSurface;
  readonly onItem: OnItem;
  /** Whether the Tab key comes to it; the arrow keys come to all others, and its menu has what its buttons do. */
  readonly isStop: boolean;
  onFocus(id: string): void;
  /** Set for a result that is shown although the filter hides its like. */
  readonly onShowAll: (() => void) | undefined;
}

/** A result: its media, its caption and, on hover or focus, its actions. */
function Tile(props: TileProps) {
  const { item, index, total, isChosen, isStop, onFocus, onSurface, onItem, onShowAll } = props;
  const [isPlaying, setPlaying] = useState(false);
  const captionId = useId();
  const differsId = useId();
  const { kind, name, source, isSilent } = item;
  // Its prompt does not tell a version from its source and from other versions.
  const words = item.isVersion ? undefined : item.words;
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
        if (!dataTransfer || item.drag === undefined) return;
        for (const [type, data] of Object.entries(item.drag)) dataTransfer.setData(type, data);
        dataTransfer.effectAllowed = 'copyLink';
      }}
    >
      <div class="media">
        {isPlaying && source !== undefined ? (
          // biome-ignore lint/a11y/useMediaCaption: the service generates no captions
          <video ref={takeFocus} controls autoplay src={source} aria-label={name} onEnded={() => setPlaying(false)} />
        ) : (
          <>
            <ItemMedia item={item} />
            {/* The button lies over the media instead of around it, so that screen readers read both. */}
            <button
              type="button"
              class="surface"
              tabIndex={isStop ? 0 : -1}
              onFocus={() => onFocus(item.id)}
              aria-keyshortcuts="Shift+F10 F2 Delete"
              aria-label={onSurface ? l10n.t('Show Details') : l10n.t('Open')}
              aria-describedby={item.differs === undefined ? captionId : `${captionId} ${differsId}`}
              aria-pressed={isChosen}
              aria-disabled={!onSurface && source === undefined}
              onClick={(event) => {
                if (onSurface) onSurface(item, index, event);
                else if (source !== undefined) onItem(item, 'open');
              }}
            />
          </>
        )}
        {item.origin !== undefined && (
          <span class="origin" dir="auto">
            {item.origin}
          </span>
        )}
        {item.differs !== undefined && (
          <span class="differs" id={differsId} title={item.differs}>
            <Icon name="warning" />
            <span dir="auto">{item.differs}</span>
          </span>
        )}
        <HiddenNote onShowAll={onShowAll} />
        <ToolButton
          name={l10n.t('Star')}
          icon={item.isStarred ? 'starFull' : 'starEmpty'}
          class="tool badge star"
          tabIndex={-1}
          title={item.isStarred ? l10n.t('Remove Star') : l10n.t('Star')}
          aria-pressed={item.isStarred === true}
          aria-describedby={captionId}
          onClick={() => act(item.isStarred ? 'unstar' : 'star')}
        />
        {isSilent && (
          <ToolButton
            name={l10n.t('VS Code cannot play the AAC sound of this video. Open Externally')}
            icon="mute"
            class="tool badge mute"
            tabIndex={-1}
            onClick={() => act('openExternally')}
          />
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
        title={[words ?? name, item.origin, item.title, item.model, item.sandbox ? l10n.t('sandbox') : '']
          .filter(Boolean)
          .join('\n')}
      >
        {item.sandbox && <Icon name="beaker" />}
        <span>{words ?? name}</span>
      </p>
    </li>
  );
}

/** Gives a video the focus of the surface that it replaces. */
function takeFocus(video: HTMLVideoElement | null): void {
  if (document.activeElement === document.body && document.hasFocus()) video?.focus();
}

/** A {@link Tile} that is drawn again only when one of its properties changes. */
export function ResultTile(props: TileProps) {
  const { item, index, total, isChosen, isStop, onSurface, onItem, onShowAll } = props;
  return useMemo(() => <Tile {...props} />, [item, index, total, isChosen, isStop, onSurface, onItem, onShowAll]);
}

interface HiddenNoteProps {
  readonly onShowAll: (() => void) | undefined;
}

/** Says why a job or a result is shown that the filter hides. */
function HiddenNote({ onShowAll }: HiddenNoteProps) {
  if (!onShowAll) return null;
  return (
    <span class="hidden-note">
      {l10n.t('hidden by the filter')}
      {' · '}
      <button type="button" class="link" onClick={onShowAll}>
        {l10n.t('Show All')}
      </button>
    </span>
  );
}

interface TileActionsProps {
  readonly item: FeedItem;
  readonly place: Start['place'];
  readonly isPlaying: boolean;
  /** The id of the element with the result's caption. */
  readonly captionId: string;
  onAct(action: TileAction): void;
}

function TileActions({ item, place, isPlaying, captionId, onAct }: TileActionsProps) {
  const { icons, more } = actionsOf(item, place);
  return (
    <div class="tile-actions">
      {icons.map(({ id, title, icon }) => (
        <ToolButton
          key={id}
          name={title}
          icon={id === 'play' && isPlaying ? 'pause' : icon}
          tabIndex={-1}
          data-play={id === 'play' ? '' : undefined}
          aria-describedby={captionId}
          onClick={() => onAct(id)}
        />
      ))}
      <MenuButton
        name={l10n.t('More Actions')}
        icon="ellipsis"
        describedBy={captionId}
        tabIndex={-1}
        entries={more}
        onChoose={onAct}
      />
    </div>
  );
}

/** Actions that the view runs itself. */
type OwnAction = 'edit' | 'animate' | 'remix' | 'transcribe' | 'usePrompt' | 'play' | 'select' | 'copyImage';

type TileAction = OwnAction | ItemAction;

interface OfferedAction {
  readonly id: TileAction;
  readonly title: string;
  /** Whether a line separates it from the entry before. */
  readonly isFirstOfGroup?: boolean;
}

interface IconAction extends OfferedAction {
  readonly icon: IconName;
}

/** Returns the actions of a result: at most four as icons, the rest in a menu. */
export function actionsOf(
  item: FeedItem,
  place: Start['place'],
): { readonly icons: readonly IconAction[]; readonly more: readonly OfferedAction[] } {
  const { kind, canRemix, hasVideoId, words, source } = item;
  const hasFile = source !== undefined;
  const hasPrompt = words !== undefined;
  const icons: readonly (IconAction | false)[] = [
    hasFile && kind === 'videos' && { id: 'play', title: l10n.t('Play'), icon: 'play' },
    hasFile && { id: 'insert', title: l10n.t('Insert at Cursor'), icon: 'insert' },
    hasFile && kind === 'images' && { id: 'edit', title: l10n.t('Edit'), icon: 'edit' },
    hasFile && kind === 'images' && { id: 'animate', title: l10n.t('Animate'), icon: 'video' },
    canRemix && { id: 'remix', title: l10n.t('Remix'), icon: 'remix' },
    hasPrompt && { id: 'usePrompt', title: l10n.t('Use Prompt'), icon: 'history' },
  ];
  const more = grouped([
    [
      place === 'view'
        ? { id: 'openLibrary', title: l10n.t('Show in Library') }
        : hasFile && { id: 'select', title: l10n.t('Select') },
      hasFile && place === 'tab' && { id: 'open', title: l10n.t('Open') },
      hasFile && { id: 'reveal', title: l10n.t('Reveal in Explorer') },
      hasFile && { id: 'openExternally', title: l10n.t('Open Externally') },
    ],
    [
      hasFile && kind === 'speech' && { id: 'transcribe', title: l10n.t('Transcribe') },
      hasFile && isEditableImage(item.name) && { id: 'transform', title: l10n.t('Resize, Crop or Convert…') },
      hasFile && { id: 'addToManifest', title: l10n.t('Add to media.jsonc') },
    ],
    [
      hasFile && kind === 'images' && { id: 'copyImage', title: l10n.t('Copy Image') },
      hasFile && { id: 'copyPath', title: l10n.t('Copy Path') },
      hasFile && { id: 'copyRelativePath', title: l10n.t('Copy Relative Path') },
      hasPrompt && { id: 'copyPrompt', title: l10n.t('Copy Prompt') },
      hasVideoId && { id: 'copyId', title: l10n.t('Copy ID') },
    ],
    [
      hasFile && { id: 'rename', title: l10n.t('Rename…') },
      hasFile && { id: 'move', title: l10n.t('Move to Folder…') },
      { id: 'forget', title: l10n.t('Remove from List') },
      hasFile && { id: 'delete', title: l10n.t('Delete File…') },
    ],
  ]);
  return { icons: icons.filter((one) => one !== false), more };
}

/** Joins the groups of a menu. A line separates each from the one before. */
function grouped(groups: readonly (readonly (OfferedAction | false)[])[]): readonly OfferedAction[] {
  const offered = groups.map((group) => group.filter((one) => one !== false)).filter((group) => group.length > 0);
  return offered.flatMap((group, index) =>
    group.map((one, at) => (index > 0 && at === 0 ? { ...one, isFirstOfGroup: true } : one)),
  );
}

/** A tile whose menu is open. */
export interface OpenTile {
  readonly item: FeedItem;
  readonly tile: HTMLElement;
  readonly at: PagePosition;
}

/** The menu of a tile, by right click or from the keyboard. It holds all that the buttons of the tile do. */
export function TileMenu({
  opened: { item, tile, at },
  place,
  onItem,
  onClose,
}: {
  readonly opened: OpenTile;
  readonly place: Start['place'];
  readonly onItem: OnItem;
  onClose(): void;
}) {
  const entries = entriesOf(item, place);
  const close = (): void => {
    onClose();
    tile.querySelector<HTMLElement>('.surface')?.focus();
  };
  return (
    <span>
      <Menu
        name={l10n.t('More Actions')}
        entries={entries}
        at={at}
        onClose={close}
        onLeave={onClose}
        onChoose={(action) => {
          close();
          // The tile plays its media itself.
          if (action === 'play') tile.querySelector<HTMLElement>('[data-play]')?.click();
          else onItem(item, action);
        }}
      />
    </span>
  );
}

function entriesOf(item: FeedItem, place: Start['place']): readonly OfferedAction[] {
  const { icons, more } = actionsOf(item, place);
  const hasFile = item.source !== undefined;
  const own = grouped([
    [
      hasFile && place === 'view' && { id: 'open', title: l10n.t('Open') },
      hasFile && item.kind === 'speech' && { id: 'play', title: l10n.t('Play') },
    ],
    icons,
    [item.isStarred ? { id: 'unstar', title: l10n.t('Remove Star') } : { id: 'star', title: l10n.t('Star') }],
  ]);
  return [...own, ...more.map((one, index) => (index === 0 ? { ...one, isFirstOfGroup: true } : one))];
}

/** When a tile with the focus is removed, moves the focus to the next tile, or else to the one before. */
function useHandover(tile: RefObject<HTMLLIElement | null>): void {
  useLayoutEffect(() => {
    const { current } = tile;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      const all = current.parentElement?.querySelectorAll<HTMLElement>(
        '.surface, .placeholder button, .actions button',
      );
      const buttons = [...(all ?? [])];
      const own = buttons.findIndex((one) => current.contains(one));
      const next = buttons.find((one, index) => index > own && !current.contains(one)) ?? buttons[own - 1];
      (next ?? document.querySelector<HTMLElement>('.filter input'))?.focus({ preventScroll: true });
    };
  }, []);
}

interface JobTileProps extends HiddenNoteProps {
  readonly job: JobCard;
  onCancel(job: JobCard): void;
}

/** A running job in the place of its first result: its stage, its time so far and a button to cancel it. */
export function JobTile({ job, onCancel, onShowAll }: JobTileProps) {
  const { id, kind, words, title, message, part, createdAt } = job;
  const tile = useRef<HTMLLIElement>(null);
  const now = useNow();
  useHandover(tile);
  const stageId = useId();
  return (
    <li ref={tile} class={`tile job ${kind}`} aria-label={words || title} data-job={id}>
      <div class="media">
        <span class="placeholder">
          <Icon name={kindIcons[kind]} />
          <span id={stageId} class="stage" title={message}>
            {message}
          </span>
          <span class="time">{clock(now - Date.parse(createdAt))}</span>
          <progress aria-label={message} max={1} {...(part === undefined ? {} : { value: part })} />
          <button type="button" aria-describedby={stageId} onClick={() => onCancel(job)}>
            {l10n.t('Cancel')}
          </button>
        </span>
        <HiddenNote onShowAll={onShowAll} />
      </div>
      <p class="caption" dir="auto" title={words}>
        <span>{words || title}</span>
      </p>
    </li>
  );
}

/** The place of a further result of the same job. */
export function JobPlaceholder({ job: { kind } }: { readonly job: JobCard }) {
  return (
    <li class={`tile job ${kind}`} aria-hidden="true">
      <div class="media">
        <span class="placeholder">
          <Icon name={kindIcons[kind]} />
        </span>
      </div>
    </li>
  );
}

interface FailureCardProps extends HiddenNoteProps {
  readonly job: JobCard;
  /** Called with the height in pixels that its content needs. */
  onHeight(jobId: string, height: number): void;
  onUsePrompt(job: JobCard, action: 'usePrompt' | 'chooseModel'): void;
}

/** A failed job in the place of its results, with its whole error and the actions that fit. */
export function FailureCard({ job, onHeight, onUsePrompt, onShowAll }: FailureCardProps) {
  const { id, words, title, message, actions } = job;
  const card = useRef<HTMLLIElement>(null);
  useHandover(card);
  useLayoutEffect(() => {
    const { current } = card;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => onHeight(id, current.offsetHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [id]);
  const act = (action: string): void => {
    if (action === 'usePrompt' || action === 'chooseModel') onUsePrompt(job, action);
    else post('actOnJob', { id, action });
  };
  return (
    <li ref={card} class="failure-card" aria-label={words || title} data-job={id}>
      <p class="failure-title">
        <Icon name="error" />
        <strong>{title}</strong>
        <span class="caption" dir="auto" title={words}>
          <span>{words}</span>
        </span>
      </p>
      <HiddenNote onShowAll={onShowAll} />
      <p dir="auto">{message}</p>
      <div class="actions">
        {actions.map((action) => (
          <button key={action.id} type="button" onClick={() => act(action.id)}>
            {action.title}
          </button>
        ))}
      </div>
    </li>
  );
}
