import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { IconName } from '../parts/Icon.tsx';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import type { Attachment, AttachSource, Region } from '../protocol/messages.ts';
import { maxDropBytes } from '../protocol/messages.ts';
import type { AttachmentKind, TabId } from '../protocol/tabs.ts';
import type { Stroke } from './region.ts';
import { strokeOf } from './region.ts';
import { SelectRegion } from './SelectRegion.tsx';

const icons: Readonly<Record<AttachmentKind, IconName>> = { image: 'image', recording: 'speech', video: 'video' };

interface AttachmentsProps {
  readonly attachments: readonly Attachment[];
  /** Whether a part of the picture can be selected. */
  readonly canSelectRegion: boolean;
  onRemove(index: number): void;
  /** @param uri of the picture */
  onRegion(uri: string, region: Region | undefined): void;
}

/** The attachments, as chips with a thumbnail. */
export function Attachments({ attachments, canSelectRegion, onRemove, onRegion }: AttachmentsProps) {
  /** Address of the picture whose region is selected. */
  const [selecting, setSelecting] = useState<string>();
  const [drawn, setDrawn] = useState<{ readonly mask?: string; readonly strokes: readonly Stroke[] }>();
  const [first] = attachments;
  // Not opened again by the same picture when that is attached another time.
  useLayoutEffect(() => setSelecting((now) => (now === first?.uri ? now : undefined)), [first?.uri]);
  if (attachments.length === 0) return null;
  const list = (
    <ul class="attachments" aria-label={l10n.t('Attachments')}>
      {attachments.map(({ uri, videoId, kind, name, thumbnail, region }, index) => (
        <li key={`${uri} ${videoId ?? ''}`} class="chip" title={name}>
          {thumbnail === undefined ? <Icon name={icons[kind]} /> : <img src={thumbnail} alt="" />}
          <span class="chip-name" dir="auto">
            {name}
          </span>
          {canSelectRegion && (
            <ToolButton
              name={l10n.t('Select Region…')}
              icon="region"
              aria-pressed={region !== undefined}
              onClick={() => setSelecting(uri)}
            />
          )}
          <ToolButton name={l10n.t('Remove {0}', name)} icon="close" onClick={() => onRemove(index)} />
        </li>
      ))}
    </ul>
  );
  if (first?.thumbnail === undefined || first.uri !== selecting) return list;
  // The strokes of an earlier page are gone; what they marked lies in a rectangle.
  const { region } = first;
  const isDrawnHere = drawn !== undefined && drawn.mask === region?.mask;
  const marked = isDrawnHere ? drawn.strokes : region ? [strokeOf(region.area)] : [];
  return (
    <>
      {list}
      <SelectRegion
        source={first.thumbnail}
        name={first.name}
        marked={marked}
        onSelect={(region, strokes) => {
          setDrawn({ mask: region?.mask, strokes });
          onRegion(first.uri, region);
        }}
        onClose={() => setSelecting(undefined)}
      />
    </>
  );
}

export function AttachButton({
  tab,
  onAttach,
}: {
  readonly tab: TabId;
  onAttach(from: 'file' | 'library' | 'url'): void;
}) {
  const entries = [
    { id: 'file', title: l10n.t('File…') },
    { id: 'library', title: l10n.t('From Library…') },
    // The API accepts recordings only as files.
    ...(tab === 'transcript' ? [] : [{ id: 'url', title: l10n.t('URL…') } as const]),
  ] as const;
  return <MenuButton name={l10n.t('Attach…')} icon="add" entries={entries} onChoose={onAttach} />;
}

/** The types under which VS Code transfers URIs: the first holds all of them, the second only one. */
const uriTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/**
 * Reads the files of a drop or a paste. Returns an empty list if it holds only text.
 *
 * @throws Error that names the file that is too large
 */
export async function takeTransfer(data: DataTransfer): Promise<readonly AttachSource[]> {
  // The browser empties the transfer after the first `await`.
  const files = [...data.files];
  const uriList = uriTypes.map((type) => data.getData(type)).find((list) => list !== '') ?? '';
  const uris = uriList.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (uris.length > 0) return [{ from: 'uris', uris: uris.slice(0, 100) }];
  const large = files.find(({ size }) => size > maxDropBytes);
  if (large) throw new Error(l10n.t('{0} is too large to drop here. Use “Attach…” instead.', large.name));
  return Promise.all(
    files.map(async (file) => ({
      from: 'bytes' as const,
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** Whether a paste is a text to which a program has added a picture of it. The text of copied files is their names. */
export function isText(data: DataTransfer): boolean {
  const text = data.getData('text/plain').trim();
  const hasUris = uriTypes.some((type) => data.types.includes(type));
  return text !== '' && !hasUris && ![...data.files].some(({ name }) => text.endsWith(name));
}

/** Whether a drag may hold files. Browsers reveal its contents only on drop. */
export function mayHoldFiles({ types }: DataTransfer): boolean {
  return types.includes('Files') || uriTypes.some((type) => types.includes(type));
}
