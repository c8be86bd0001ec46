import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FeedSource, Pages } from '../feed/Feed.tsx';
import { Feed } from '../feed/Feed.tsx';
import { ItemMedia, LargeMedia } from '../feed/ItemMedia.tsx';
import type { OnItem, OnSurface } from '../feed/Tile.tsx';
import { actionsOf } from '../feed/Tile.tsx';
import { request } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import type { Details, Item } from '../protocol/messages.ts';
import { Compare } from './Compare.tsx';

/** In pixels. */
const minTileWidth = 150;
const maxCompared = 4;

interface LibraryPageProps extends FeedSource {
  /** The id of the result that another view asked to select. */
  readonly requested: string | undefined;
  readonly composer: ComponentChildren;
  readonly children: ComponentChildren;
}

interface Selected {
  readonly id: string;
  /** Its position in the list when it was selected; -1 if unknown. */
  readonly index: number;
}

/** The library in an editor tab: composer, gallery and the details of the selected result. */
export function LibraryPage(props: LibraryPageProps) {
  const { library, pages, jobs, scroller, requested, composer, children, onItem, onUsePrompt } = props;
  const [selected, setSelected] = useState<Selected>();
  const [isComparing, setComparing] = useState(false);
  const { chosen, toggle, clear } = useChosen();
  useEffect(() => {
    if (requested !== undefined) setSelected({ id: requested, index: -1 });
  }, [requested]);
  const onSurface: OnSurface = (item, index, event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) toggle(item);
    else setSelected({ id: item.id, index });
  };
  const act: OnItem = (item, action) => {
    if (action === 'compare') toggle(item);
    else onItem(item, action);
  };
  const select = (item: Item): void => setSelected({ id: item.id, index: -1 });
  return (
    <div class={selected ? 'library with-details' : 'library'} data-place="tab">
      <aside class="side" aria-label={l10n.t('Composer')}>
        {composer}
      </aside>
      <div class="scroller gallery" ref={scroller}>
        {chosen.length > 0 && (
          <div class="chosen-bar">
            <span role="status">{l10n.t('{0} selected', chosen.length)}</span>
            <button type="button" aria-disabled={chosen.length < 2} onClick={() => setComparing(chosen.length > 1)}>
              {l10n.t('Compare')}
            </button>
            <button type="button" onClick={clear}>
              {l10n.t('Clear Selection')}
            </button>
            {chosen.length < 2 && (
              <span class="hint">
                {l10n.t('To compare results, select up to {0} with Shift+click or More Actions.', maxCompared)}
              </span>
            )}
          </div>
        )}
        <Feed
          library={library}
          pages={pages}
          jobs={jobs}
          scroller={scroller}
          minTileWidth={minTileWidth}
          chosen={chosen.length > 0 ? chosen.map(({ id }) => id) : selected ? [selected.id] : []}
          onSurface={onSurface}
          onItem={act}
          onUsePrompt={onUsePrompt}
          onDrawn={() => undefined}
        />
      </div>
      {selected && (
        <DetailsPane
          id={selected.id}
          index={selected.index}
          revision={library?.revision ?? 0}
          pages={pages}
          onSelect={select}
          onMove={(item, index) => setSelected({ id: item.id, index })}
          onItem={act}
          onClose={() => setSelected(undefined)}
        />
      )}
      {isComparing && <Compare items={chosen} onClose={() => setComparing(false)} />}
      {children}
    </div>
  );
}

/** The results chosen for comparison, in the order of choosing. */
function useChosen() {
  const [chosen, setChosen] = useState<readonly Item[]>([]);
  const toggle = (item: Item): void =>
    setChosen((now) => {
      const others = now.filter(({ id }) => id !== item.id);
      if (others.length < now.length || item.source === undefined) return others;
      return [...now, item].slice(-maxCompared);
    });
  return { chosen, toggle, clear: () => setChosen([]) };
}

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
function DetailsPane(props: DetailsPaneProps) {
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
