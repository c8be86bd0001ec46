import * as l10n from '@vscode/l10n';
import type { Point } from '../parts/Menu.tsx';
import { Menu } from '../parts/Menu.tsx';
import type { Item, Start } from '../protocol/messages.ts';
import type { OfferedAction, OnItem } from './Tile.tsx';
import { actionsOf, grouped } from './Tile.tsx';

/** A tile whose menu is open. */
export interface OpenTile {
  readonly item: Item;
  readonly tile: HTMLElement;
  readonly at: Point;
}

interface TileMenuProps {
  readonly opened: OpenTile;
  readonly place: Start['place'];
  readonly onItem: OnItem;
  onClose(): void;
}

/** The menu of a tile, by right click or from the keyboard. It holds all that the buttons of the tile do. */
export function TileMenu({ opened: { item, tile, at }, place, onItem, onClose }: TileMenuProps) {
  const entries = entriesOf(item, place);
  const close = (): void => {
    onClose();
    tile.querySelector<HTMLElement>('.surface')?.focus();
  };
  return (
    <span class="menu-button">
      <Menu
        name={l10n.t('More Actions')}
        entries={entries}
        at={at}
        onClose={close}
        onLeave={onClose}
        onChoose={(id) => {
          close();
          const action = entries.find((one) => one.id === id);
          // The tile plays its media itself.
          if (action?.id === 'play') tile.querySelector<HTMLElement>('[data-play]')?.click();
          else if (action) onItem(item, action.id);
        }}
      />
    </span>
  );
}

function entriesOf(item: Item, place: Start['place']): readonly OfferedAction[] {
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
