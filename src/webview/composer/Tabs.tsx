import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { IconName } from '../parts/Icon.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { TabId } from '../protocol/tabs.ts';
import { tabIds, tabs } from '../protocol/tabs.ts';
import { mayHoldFiles } from './Attachments.tsx';

const panelId = 'composer';

const icons: Readonly<Record<TabId, IconName>> = {
  image: 'image',
  speech: 'speech',
  transcript: 'transcript',
  video: 'video',
};

function nameOf(tab: TabId): string {
  switch (tab) {
    case 'image':
      return l10n.t('Image');
    case 'speech':
      return l10n.t('Speech');
    case 'transcript':
      return l10n.t('Transcript');
    case 'video':
      return l10n.t('Video');
  }
}

function tabElementId(tab: TabId): string {
  return `tab-${tab}`;
}

interface TabsProps {
  readonly selected: TabId;
  onSelect(tab: TabId): void;
}

/** The tab list: one stop of the Tab key; the arrow keys, Home and End move between tabs. */
export function Tabs({ selected, onSelect }: TabsProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const isRightToLeft = document.dir === 'rtl';
    const index = tabIds.indexOf(selected);
    const target = new Map([
      ['ArrowRight', index + (isRightToLeft ? -1 : 1)],
      ['ArrowLeft', index + (isRightToLeft ? 1 : -1)],
      ['Home', 0],
      ['End', -1],
    ]).get(event.key);
    const tab = target === undefined ? undefined : tabIds.at(target % tabIds.length);
    if (!tab) return;
    event.preventDefault();
    onSelect(tab);
    document.getElementById(tabElementId(tab))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Kind')} onKeyDown={onKeyDown}>
      {tabIds.map((tab) => (
        <button
          key={tab}
          id={tabElementId(tab)}
          type="button"
          role="tab"
          title={nameOf(tab)}
          aria-label={nameOf(tab)}
          aria-selected={tab === selected}
          aria-controls={panelId}
          tabIndex={tab === selected ? 0 : -1}
          onClick={() => onSelect(tab)}
        >
          <Icon name={icons[tab]} />
          <span class="tab-name">{nameOf(tab)}</span>
        </button>
      ))}
    </div>
  );
}

interface DropZoneProps {
  readonly tab: TabId;
  readonly children: ComponentChildren;
  onTake(data: DataTransfer): void;
}

/** The panel of a tab. Tabs with attachments accept dropped and pasted files. */
export function DropZone({ tab, children, onTake }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const canAttach = tabs[tab].attaches.length > 0;
  return (
    <div
      id={panelId}
      class={isOver ? 'panel over' : 'panel'}
      role="tabpanel"
      aria-labelledby={tabElementId(tab)}
      onDragOver={(event) => {
        if (!canAttach || !event.dataTransfer || !mayHoldFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!canAttach || !event.dataTransfer) return;
        event.preventDefault();
        onTake(event.dataTransfer);
      }}
      onPaste={(event) => {
        if (!canAttach || !event.clipboardData || event.clipboardData.files.length === 0) return;
        event.preventDefault();
        onTake(event.clipboardData);
      }}
    >
      {children}
    </div>
  );
}
