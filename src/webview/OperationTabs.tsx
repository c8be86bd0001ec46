import * as l10n from '@vscode/l10n';
import type { OperationId } from '../operations/operations.ts';
import type { Tab } from './tabs.ts';

export const panelId = 'panel';

export function tabId(id: OperationId): string {
  return `tab-${id}`;
}

export interface OperationTabsProps {
  readonly tabs: readonly Tab[];
  readonly selected: OperationId;
  onSelect(id: OperationId): void;
}

/** One stop of the Tab key; arrows, Home and End go from tab to tab. */
export function OperationTabs({ tabs, selected, onSelect }: OperationTabsProps) {
  const index = tabs.findIndex(({ id }) => id === selected);
  const select = (position: number): void => {
    const tab = tabs.at(position % tabs.length);
    if (!tab) return;
    onSelect(tab.id);
    document.getElementById(tabId(tab.id))?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = {
      ArrowRight: index + 1,
      ArrowDown: index + 1,
      ArrowLeft: index - 1,
      ArrowUp: index - 1,
      Home: 0,
      End: -1,
    };
    const position = (target as Readonly<Record<string, number>>)[event.key];
    if (position === undefined) return;
    event.preventDefault();
    select(position);
  };
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Operation')} onKeyDown={onKeyDown}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          id={tabId(id)}
          type="button"
          role="tab"
          aria-selected={id === selected}
          aria-controls={panelId}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
