import * as l10n from '@vscode/l10n';
import type { IconName } from '../parts/Icon.tsx';
import type { Item, ItemAction, Start } from '../protocol/messages.ts';

/** Actions that the view runs itself. */
export type OwnAction = 'edit' | 'animate' | 'remix' | 'transcribe' | 'usePrompt' | 'play' | 'compare';

export type TileAction = OwnAction | ItemAction;

export interface OfferedAction {
  readonly id: TileAction;
  readonly title: string;
}

export interface IconAction extends OfferedAction {
  readonly icon: IconName;
}

/** Returns the actions of a result: at most four as icons, the rest in a menu. */
export function actionsOf(
  item: Item,
  place: Start['place'],
): { readonly icons: readonly IconAction[]; readonly more: readonly OfferedAction[] } {
  const { kind, canRemix, words, source } = item;
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
  const more: readonly (OfferedAction | false)[] = [
    place === 'view'
      ? { id: 'openLibrary', title: l10n.t('Show in Library') }
      : hasFile && { id: 'compare', title: l10n.t('Select to Compare') },
    hasFile && place === 'tab' && { id: 'open', title: l10n.t('Open') },
    hasFile && kind === 'speech' && { id: 'transcribe', title: l10n.t('Transcribe') },
    hasFile && /\.(png|jpe?g|webp)$/i.test(item.name) && { id: 'transform', title: l10n.t('Resize, Crop or Convert…') },
    hasFile && { id: 'copyPath', title: l10n.t('Copy Path') },
    hasPrompt && { id: 'copyPrompt', title: l10n.t('Copy Prompt') },
    canRemix && { id: 'copyId', title: l10n.t('Copy ID') },
    hasFile && { id: 'addToManifest', title: l10n.t('Add to media.jsonc') },
    hasFile && { id: 'reveal', title: l10n.t('Reveal in Explorer') },
    hasFile && { id: 'openExternally', title: l10n.t('Open Externally') },
    { id: 'forget', title: l10n.t('Remove from List') },
    hasFile && { id: 'delete', title: l10n.t('Delete File…') },
  ];
  return { icons: icons.filter((one) => one !== false), more: more.filter((one) => one !== false) };
}
