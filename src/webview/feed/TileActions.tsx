import * as l10n from '@vscode/l10n';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import type { Item, Start } from '../protocol/messages.ts';
import type { TileAction } from './itemActions.ts';
import { actionsOf } from './itemActions.ts';

interface TileActionsProps {
  readonly item: Item;
  readonly place: Start['place'];
  readonly isPlaying: boolean;
  /** The id of the element with the result's caption. */
  readonly captionId: string;
  onAct(action: TileAction): void;
}

/** The actions of a result, shown on hover and focus. */
export function TileActions({ item, place, isPlaying, captionId, onAct }: TileActionsProps) {
  const { icons, more } = actionsOf(item, place);
  return (
    <div class="tile-actions">
      {icons.map(({ id, title, icon }) => (
        <button
          key={id}
          type="button"
          class="tool"
          title={title}
          aria-label={title}
          aria-describedby={captionId}
          onClick={() => onAct(id)}
        >
          <Icon name={id === 'play' && isPlaying ? 'pause' : icon} />
        </button>
      ))}
      <MenuButton
        name={l10n.t('More Actions')}
        icon="ellipsis"
        describedBy={captionId}
        entries={more}
        onChoose={(id) => {
          const action = more.find((one) => one.id === id);
          if (action) onAct(action.id);
        }}
      />
    </div>
  );
}
