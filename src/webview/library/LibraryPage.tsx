import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FeedSource } from '../feed/Feed.tsx';
import { Feed } from '../feed/Feed.tsx';
import type { OnItem, OnSurface } from '../feed/Tile.tsx';
import type { Item } from '../protocol/messages.ts';
import { Compare } from './Compare.tsx';
import { DetailsPane } from './DetailsPane.tsx';

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
