import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Feed, type FeedSource, type Pages } from '../feed/Feed.tsx';
import { ItemMedia, LargeMedia, Placeholder } from '../feed/ItemMedia.tsx';
import { actionsOf, type OnItem, type OnSurface } from '../feed/Tile.tsx';
import { keep, keepScroll, kept, post, request } from '../host.ts';
import { isMac } from '../parts/isMac.ts';
import { MenuButton } from '../parts/Menu.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import { tabStop, useReturningFocus } from '../parts/useReturningFocus.ts';
import { type Details, type FeedItem, maxChosen, type PictureSource, type Selection } from '../protocol/messages.ts';
import { Compare, Compared, type ComparedVariants, type Picture, Slider, Variants } from './Compare.tsx';

/** In pixels. */
const minTileWidth = 150;
const maxCompared = 4;

/** A result that another view asked to select. */
export interface RequestedResult {
  /** Increases with each request. */
  readonly asked: number;
  readonly id: string;
}

interface LibraryPageProps extends FeedSource {
  readonly requested: RequestedResult | undefined;
  /** Variants that another view asked to compare. */
  readonly variants: ComparedVariants | undefined;
  readonly children: ComponentChildren;
}

interface Selected {
  readonly id: string;
  /** Undefined for one that another view asked to select, and for one that was selected before the tab was hidden. */
  readonly item?: FeedItem;
}

/** The library in an editor tab: gallery and the details of the selected result. */
export function LibraryPage(props: LibraryPageProps) {
  const { library, pages, jobs, scroller, requested, variants, children, onItem, onUsePrompt, onCancel } = props;
  const [selected, setSelected] = useState<Selected | undefined>(() => {
    const id = kept()?.selected;
    return id === undefined ? undefined : { id };
  });
  const [isComparing, setComparing] = useState(false);
  // That of before the tab was hidden has no revision.
  const revision = library?.isRead === true ? library.revision : 0;
  const { chosen, choose, toggle, clear } = useChosen(pages, revision);
  useEffect(() => {
    if (requested) setSelected({ id: requested.id });
  }, [requested]);
  useEffect(() => keep({ selected: selected?.id }), [selected]);
  useReturningFocus(() => document.querySelector<HTMLElement>(tabStop));
  const select = (item: FeedItem): void => setSelected({ id: item.id, item });
  /** The result that a double click has begun with. Its first click opens the details, which moves the tiles. */
  const clicked = useRef<FeedItem>(undefined);
  const onSurface: OnSurface = (item, index, event) => {
    const shown = selected?.item;
    if (event.altKey && shown && shown.id !== item.id) {
      choose([shown, item]);
      setComparing(true);
    } else if (event.ctrlKey || event.metaKey || event.shiftKey) toggle(item, index, event.shiftKey);
    else {
      clicked.current = item;
      select(item);
    }
  };
  const actOnChosen = (action: (typeof actionsOnMany)[number]): void => {
    void request('actOnItems', { ids: idsOf(chosen), action }).then(
      // Nothing can be done with them any more.
      (isDone) => isDone && (action === 'delete' || action === 'forget') && clear(),
      () => undefined,
    );
  };
  const act: OnItem = (item, action) => {
    const forMany = actionsOnMany.find((one) => one === action);
    if (action === 'select') toggle(item, -1, false);
    else if (forMany && chosen.length > 1 && chosen.some(({ id }) => id === item.id)) actOnChosen(forMany);
    else onItem(item, action);
  };
  const close = (id: string): void => {
    setSelected(undefined);
    if (!document.activeElement?.closest('.details')) return;
    const tiles = [...(scroller.current?.querySelectorAll<HTMLElement>('[data-index]') ?? [])];
    const tile = tiles.find(({ dataset }) => pages.itemAt(Number(dataset.index))?.id === id);
    (tile ?? scroller.current)?.querySelector<HTMLElement>(tile ? '.surface' : tabStop)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tiles are buttons, and their menu opens the file as well
    <div
      class={selected ? 'library with-details' : 'library'}
      data-place="tab"
      onClickCapture={(event) => {
        if (event.detail < 2) clicked.current = undefined;
        // The second click is for what was under the first one.
        else if (clicked.current) event.stopPropagation();
      }}
      onDblClick={() => clicked.current && act(clicked.current, 'open')}
    >
      <div class="scroller gallery" ref={scroller} onScroll={({ currentTarget }) => keepScroll(currentTarget)}>
        {chosen.length > 0 && (
          <ChosenBar chosen={chosen} onCompare={() => setComparing(true)} onAct={actOnChosen} onClear={clear} />
        )}
        <Feed
          library={library}
          pages={pages}
          jobs={jobs}
          scroller={scroller}
          minTileWidth={minTileWidth}
          chosen={chosen.length > 0 ? idsOf(chosen) : selected ? [selected.id] : []}
          onSurface={onSurface}
          onItem={act}
          onUsePrompt={onUsePrompt}
          onCancel={onCancel}
        />
      </div>
      {selected && (
        <DetailsPane
          id={selected.id}
          revision={revision}
          pages={pages}
          onSelect={select}
          onLoad={(item) => setSelected((now) => (now?.id === item.id ? { id: item.id, item } : now))}
          onItem={act}
          onClose={() => close(selected.id)}
        />
      )}
      {isComparing && (
        <Compare onClose={() => setComparing(false)}>
          {(close) => (
            <Compared
              items={chosen}
              onKeep={(item) => {
                const others = chosen.filter((one) => one !== item).map(({ id }) => id);
                void request('keepOnly', { id: item.id, others }).then(
                  (isDecided) => {
                    if (!isDecided) return;
                    close();
                    clear();
                  },
                  () => undefined,
                );
              }}
            />
          )}
        </Compare>
      )}
      {variants && <Variants key={variants.asked} variants={variants} />}
      {children}
    </div>
  );
}

/** What can be done with several results at once. */
const actionsOnMany = ['insert', 'star', 'unstar', 'addToManifest', 'move', 'delete', 'forget'] as const;
/** How many results are selected, and what can be done with all of them. */
function ChosenBar({
  chosen,
  onCompare,
  onAct,
  onClear,
}: {
  readonly chosen: readonly FeedItem[];
  onCompare(): void;
  onAct(action: (typeof actionsOnMany)[number]): void;
  onClear(): void;
}) {
  const canCompare = chosen.length > 1 && chosen.length <= maxCompared;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class="chosen-bar" role="group" aria-label={l10n.t('Selected Results')}>
      <span role="status">{l10n.t('{0} selected', chosen.length)}</span>
      <button
        type="button"
        aria-disabled={!canCompare}
        title={l10n.t('Compares two to {0} results', maxCompared)}
        onClick={() => canCompare && onCompare()}
      >
        {l10n.t('Compare')}
      </button>
      <button type="button" onClick={() => onAct('insert')}>
        {l10n.t('Insert at Cursor')}
      </button>
      <button type="button" onClick={() => onAct('star')}>
        {l10n.t('Star')}
      </button>
      <button type="button" onClick={() => onAct('addToManifest')}>
        {l10n.t('Add to media.jsonc')}
      </button>
      <button type="button" onClick={() => onAct('move')}>
        {l10n.t('Move to Folder…')}
      </button>
      <button type="button" onClick={() => onAct('delete')}>
        {l10n.t('Delete Files…')}
      </button>
      <button type="button" onClick={onClear}>
        {l10n.t('Clear Selection')}
      </button>
      {chosen.length < 2 && (
        <span class="hint">
          {isMac
            ? l10n.t('⌘+click selects one more, Shift+click all up to there. ⌥+click compares with what is shown.')
            : l10n.t(
                'Ctrl+click selects one more, Shift+click all up to there. Alt+click compares with what is shown.',
              )}
        </span>
      )}
      {chosen.length === maxChosen && (
        <span class="hint">{l10n.t('No more than {0} can be selected at once.', maxChosen)}</span>
      )}
    </div>
  );
}

/** @param revision the library's, 0 while it is not known */
function useChosen({ selection }: Pages, revision: number) {
  const [chosen, setChosen] = useState<readonly FeedItem[]>([]);
  /** The id of the result that a range begins with. */
  const anchor = useRef<string>(undefined);
  /** The ids of before the tab was hidden, until those results arrive. */
  const before = useRef(kept()?.chosen ?? []);
  useEffect(() => {
    const restored = before.current;
    const asked = new Set([...restored, ...idsOf(chosen)]);
    if (revision === 0 || asked.size === 0) return;
    request('items', { ids: [...asked].slice(-maxChosen) }).then(
      (items) => {
        before.current = [];
        // Those that have left the library go.
        setChosen((now) => {
          const ids = [...restored, ...idsOf(now)];
          const added = now.filter(({ id }) => !asked.has(id));
          return joined(
            items.filter(({ id }) => ids.includes(id)),
            added,
          );
        });
      },
      () => undefined,
    );
  }, [revision]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) keep({ chosen: idsOf(chosen) });
    isFirst.current = false;
  }, [chosen]);
  const toggle = (item: FeedItem, index: number, isRange: boolean): void => {
    const from = chosen.length > 0 ? anchor.current : undefined;
    anchor.current = item.id;
    if (isRange && from !== undefined) {
      void itemsBetween(from, index, selection)
        .catch(() => [item])
        .then((items) => setChosen((now) => joined(now, items)));
      return;
    }
    setChosen((now) => {
      const others = now.filter(({ id }) => id !== item.id);
      return others.length < now.length ? others : joined(now, [item]);
    });
  };
  return {
    chosen,
    choose: (items: readonly FeedItem[]) => setChosen(joined([], items)),
    toggle,
    clear: () => setChosen([]),
  };
}

function idsOf(items: readonly FeedItem[]): readonly string[] {
  return items.map(({ id }) => id);
}

/** Adds results that have a file, as far as so many can be selected. */
function joined(now: readonly FeedItem[], added: readonly FeedItem[]): readonly FeedItem[] {
  const ids = new Set(added.map(({ id }) => id));
  const others = now.filter(({ id }) => !ids.has(id));
  return [...others, ...added.filter(({ source }) => source !== undefined)].slice(-maxChosen);
}

/** Returns the results from one to the one at a position, including both, as far as so many can be selected. */
async function itemsBetween(id: string, to: number, selection: Selection): Promise<readonly FeedItem[]> {
  const { position = to } = await request('details', { id, ...selection });
  const from = Math.max(Math.min(position, to), position - maxChosen + 1);
  const limit = Math.min(Math.abs(position - to) + 1, maxChosen);
  const { items } = await request('page', { ...selection, from, limit });
  return items;
}

interface DetailsPaneProps {
  readonly id: string;
  /** The library's revision, 0 while it is not known; the details are loaded again when it changes. */
  readonly revision: number;
  readonly pages: Pages;
  readonly onItem: OnItem;
  onSelect(item: FeedItem): void;
  /** Called with the result when its details arrive. */
  onLoad(item: FeedItem): void;
  onClose(): void;
}

/** The selected result: the media at full size, its actions, facts and lineage. */
function DetailsPane(props: DetailsPaneProps) {
  const { id, revision, pages, onItem, onSelect, onLoad, onClose } = props;
  const [details, setDetails] = useState<Details>();
  const [position, setPosition] = useState<number>();
  const [pixels, setPixels] = useState<Pixels>();
  const [isComparing, setComparing] = useState(false);
  const pane = useRef<HTMLElement>(null);
  useEffect(() => setComparing(false), [id]);
  useEffect(() => {
    let isCurrent = true;
    request('details', { id, ...pages.selection }).then(
      (reply) => {
        if (!isCurrent) return;
        setDetails(reply);
        setPosition(reply.position);
        onLoad(reply.item);
      },
      // The result was removed from the library, unless that is not known.
      () => isCurrent && revision > 0 && onClose(),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, revision, pages.filter]);
  // Unknown while the pages or the position are those of another filter or of an earlier library.
  const index = position !== undefined && pages.itemAt(position)?.id === id ? position : undefined;
  const neighbour = (step: number): FeedItem | undefined => (index === undefined ? index : pages.itemAt(index + step));
  const move = (step: number): void => {
    const item = neighbour(step);
    if (index === undefined || !item) return;
    setPosition(index + step);
    onSelect(item);
  };
  // It and its neighbours may be on pages that are not loaded yet.
  useEffect(() => {
    if (position !== undefined) pages.load(Math.max(0, position - 1), Math.min(pages.total, position + 2));
  });
  if (!details) return <section class="details" aria-label={l10n.t('Details')} aria-busy="true" />;
  const { item, prompt, facts, origins, sources, results } = details;
  const pictures: readonly Picture[] = [...origins.filter(({ kind }) => kind === 'images'), ...sources];
  const original = item.kind === 'images' && item.source ? pictures.find((one) => one.source) : undefined;
  const { icons, more } = actionsOf(item, 'tab');
  return (
    <section
      ref={pane}
      class="details"
      aria-label={l10n.t('Details')}
      onKeyDown={(event) => {
        // They have keys of their own; the dialog with the comparison lies in this section.
        const hasKeys =
          event.target instanceof HTMLElement && event.target.closest('input, video, audio, [role^=menu], dialog');
        if (hasKeys) return;
        if (event.key === 'ArrowRight' || event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Escape') onClose();
        else return;
        event.preventDefault();
      }}
    >
      <div class="details-bar">
        <ToolButton
          name={l10n.t('Previous')}
          icon="arrowLeft"
          aria-disabled={!neighbour(-1)}
          onClick={() => move(-1)}
        />
        <ToolButton name={l10n.t('Next')} icon="arrowRight" aria-disabled={!neighbour(1)} onClick={() => move(1)} />
        <span class="space" />
        <ToolButton name={l10n.t('Close Details')} icon="close" onClick={onClose} />
      </div>
      <Lineage title={l10n.t('Made from')} items={origins} sources={sources} of={item} onSelect={onSelect} />
      <Lineage title={l10n.t('Used for')} items={results} sources={[]} of={item} onSelect={onSelect} />
      <LargeMedia item={item} onSize={(width, height) => setPixels({ source: item.source, width, height })} />
      <div class="details-actions">
        {original && (
          <button type="button" onClick={() => setComparing(true)}>
            {l10n.t('Compare with Source')}
          </button>
        )}
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
          onChoose={(action) => onItem(item, action)}
        />
      </div>
      {original && isComparing && (
        <Compare onClose={() => setComparing(false)}>{() => <Slider one={original} other={item} />}</Compare>
      )}
      {prompt !== undefined && (
        <p class="whole-prompt" dir="auto">
          {prompt}
        </p>
      )}
      <dl class="facts">
        {withPixels(facts, pixels?.source === item.source ? pixels : undefined).map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface Pixels {
  /** The address of the media that has this size. */
  readonly source: string | undefined;
  readonly width: number;
  readonly height: number;
}

/** Adds the size in pixels before the last fact, the hash of the file. */
function withPixels(facts: Details['facts'], pixels: Pixels | undefined): Details['facts'] {
  if (!pixels || pixels.width === 0) return facts;
  const size = { name: l10n.t('Dimensions'), value: l10n.t('{0} × {1} pixels', pixels.width, pixels.height) };
  return facts.toSpliced(-1, 0, size);
}

interface LineageProps {
  readonly title: string;
  readonly items: readonly FeedItem[];
  /** Files that the library does not list. */
  readonly sources: readonly PictureSource[];
  /** The result that they are related to. */
  readonly of: FeedItem;
  onSelect(item: FeedItem): void;
}

/** Related results, as thumbnails that select them, and files, as thumbnails that open them. */
function Lineage({ title, items, sources, of, onSelect }: LineageProps) {
  if (items.length + sources.length === 0) return null;
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
        {sources.map(({ name, uri, isMissing, address, source }, index) => (
          <li key={index}>
            {isMissing && <Placeholder icon="warning" words={l10n.t('missing')} name={name} />}
            {!isMissing && (source === undefined ? <span class="words">{name}</span> : <img src={source} alt={name} />)}
            <button
              type="button"
              class="surface"
              title={isMissing ? l10n.t('{0} is gone or has changed since it was sent.', name) : (address ?? name)}
              aria-label={name}
              aria-disabled={uri === undefined}
              onClick={() => uri !== undefined && post('openSource', { id: of.id, uri })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
