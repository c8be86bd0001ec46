import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ItemMedia } from '../feed/ItemMedia.tsx';
import { actionsOf } from '../feed/itemActions.ts';
import type { OnItem } from '../feed/Tile.tsx';
import type { Pages } from '../feed/usePages.ts';
import { request } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import type { Details, Item } from '../protocol/messages.ts';
import { LargeMedia } from './LargeMedia.tsx';

interface DetailsPaneProps {
  readonly id: string;
  /** Position in the list; -1 if unknown. */
  readonly index: number;
  /** The library's revision; the details are loaded again when it changes. */
  readonly revision: number;
  readonly pages: Pages;
  readonly onItem: OnItem;
  onSelect(item: Item): void;
  onMove(item: Item, index: number): void;
  onClose(): void;
}

/** The selected result: the media at full size, its actions, facts and lineage. */
export function DetailsPane(props: DetailsPaneProps) {
  const { id, revision, pages, onItem, onSelect, onMove, onClose } = props;
  const [details, setDetails] = useState<Details>();
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    let isCurrent = true;
    request('details', { id }).then(
      (reply) => isCurrent && setDetails(reply),
      // The result was removed from the library.
      () => isCurrent && onClose(),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, revision]);
  const index = details?.item.id === id && props.index < 0 ? details.position : props.index;
  const neighbour = (step: number): Item | undefined => pages.itemAt(index + step);
  const move = (step: number): void => {
    const item = neighbour(step);
    if (item) onMove(item, index + step);
  };
  // The neighbours may be on a page that is not loaded yet.
  useEffect(() => {
    if (index >= 0) pages.load(Math.max(0, index - 1), Math.min(pages.total, index + 2));
  }, [index]);
  if (!details) return <section class="details" aria-label={l10n.t('Details')} aria-busy="true" />;
  const { item, prompt, facts, origins, results } = details;
  const { icons, more } = actionsOf(item, 'tab');
  return (
    <section
      ref={pane}
      class="details"
      aria-label={l10n.t('Details')}
      onKeyDown={(event) => {
        const isMedia =
          event.target instanceof HTMLElement && event.target.matches('input, video, audio, [role^=menu]');
        if (isMedia) return;
        if (event.key === 'ArrowRight' || event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Escape') onClose();
        else return;
        event.preventDefault();
      }}
    >
      <div class="details-bar">
        <ToolButton name={l10n.t('Previous')} icon="arrowLeft" isDisabled={!neighbour(-1)} onClick={() => move(-1)} />
        <ToolButton name={l10n.t('Next')} icon="arrowRight" isDisabled={!neighbour(1)} onClick={() => move(1)} />
        <span class="space" />
        <ToolButton name={l10n.t('Close Details')} icon="close" onClick={onClose} />
      </div>
      <LargeMedia item={item} />
      <div class="details-actions">
        {icons
          .filter((action) => action.id !== 'play')
          .map((action) => (
            <ToolButton
              key={action.id}
              name={action.title}
              icon={action.icon}
              onClick={() => onItem(item, action.id)}
            />
          ))}
        <MenuButton
          name={l10n.t('More Actions')}
          icon="ellipsis"
          entries={more}
          onChoose={(id) => {
            const action = more.find((one) => one.id === id);
            if (action) onItem(item, action.id);
          }}
        />
      </div>
      {prompt !== undefined && (
        <p class="whole-prompt" dir="auto">
          {prompt}
        </p>
      )}
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      <Lineage title={l10n.t('Made From')} items={origins} onSelect={onSelect} />
      <Lineage title={l10n.t('Derived Results')} items={results} onSelect={onSelect} />
    </section>
  );
}

interface ToolButtonProps {
  readonly name: string;
  readonly icon: Parameters<typeof Icon>[0]['name'];
  readonly isDisabled?: boolean;
  onClick(): void;
}

function ToolButton({ name, icon, isDisabled = false, onClick }: ToolButtonProps) {
  return (
    <button type="button" class="tool" title={name} aria-label={name} aria-disabled={isDisabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface LineageProps {
  readonly title: string;
  readonly items: readonly Item[];
  onSelect(item: Item): void;
}

/** Related results, as thumbnails that select them. */
function Lineage({ title, items, onSelect }: LineageProps) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="lineage" aria-label={title}>
        {items.map((item) => (
          <li key={item.id}>
            <ItemMedia item={item} />
            <button
              type="button"
              class="surface"
              title={item.words ?? item.name}
              aria-label={item.words ?? item.name}
              onClick={() => onSelect(item)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
