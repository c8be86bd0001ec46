import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { TabId } from '../protocol/tabs.ts';
import { tabs } from '../protocol/tabs.ts';
import { panelId, tabElementId } from './Tabs.tsx';
import { mayHoldFiles } from './takeTransfer.ts';

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
