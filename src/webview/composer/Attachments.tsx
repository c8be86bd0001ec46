import * as l10n from '@vscode/l10n';
import type { IconName } from '../parts/Icon.tsx';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import type { Attachment } from '../protocol/messages.ts';
import type { AttachmentKind, TabId } from '../protocol/tabs.ts';

const icons: Readonly<Record<AttachmentKind, IconName>> = { image: 'image', recording: 'speech', video: 'video' };

interface AttachmentsProps {
  readonly attachments: readonly Attachment[];
  onRemove(index: number): void;
}

/** The attachments, as chips with a thumbnail. */
export function Attachments({ attachments, onRemove }: AttachmentsProps) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label={l10n.t('Attachments')}>
      {attachments.map(({ uri, videoId, kind, name, thumbnail }, index) => (
        <li key={`${uri} ${videoId ?? ''}`} class="chip" title={name}>
          {thumbnail === undefined ? <Icon name={icons[kind]} /> : <img src={thumbnail} alt="" />}
          <span class="chip-name" dir="auto">
            {name}
          </span>
          <button
            type="button"
            class="tool"
            title={l10n.t('Remove {0}', name)}
            aria-label={l10n.t('Remove {0}', name)}
            onClick={() => onRemove(index)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface AttachButtonProps {
  readonly tab: TabId;
  onAttach(from: 'file' | 'library' | 'url'): void;
}

export function AttachButton({ tab, onAttach }: AttachButtonProps) {
  const entries = [
    { id: 'file', title: l10n.t('File…') },
    { id: 'library', title: l10n.t('From Library…') },
    // The API accepts recordings only as files.
    ...(tab === 'transcript' ? [] : [{ id: 'url', title: l10n.t('URL…') }]),
  ];
  return (
    <MenuButton
      name={l10n.t('Attach…')}
      icon="add"
      entries={entries}
      onChoose={(id) => onAttach(id === 'file' || id === 'library' ? id : 'url')}
    />
  );
}
