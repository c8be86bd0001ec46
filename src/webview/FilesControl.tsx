import * as l10n from '@vscode/l10n';
import type { TargetedFocusEvent } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { AudioFileField, ImageField } from '../operations/Field.ts';
import type { OperationId } from '../operations/operations.ts';
import type { FieldProps } from './controlAttributes.ts';
import { controlAttributes } from './controlAttributes.ts';
import { tell } from './host.ts';
import type { ShownFile } from './messages.ts';
import { SelectedOperation } from './SelectedOperation.ts';

/** What is dropped passes through memory; in bytes. */
const largestDrop = 100_000_000;

/** Addresses from elsewhere in the editor: the first type holds all of them, the second one alone. */
const addressTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Files as thumbnails; more come by a path or URL, a dialog, from the library, or dropped here. */
export function FilesControl(props: FieldProps & { readonly field: ImageField | AudioFileField }) {
  const { field, text, files, onEdit, onLeave } = props;
  const operation = useContext(SelectedOperation);
  const [isOver, setOver] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const place = { operation, field: field.name };
  const isAudio = field.type === 'audioFile';
  const add = (): void => {
    if (text.trim() === '') return;
    tell({ type: 'addFile', ...place, text });
    onEdit('');
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) void takeDropped(event.dataTransfer, place).then(setRefusal);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) add();
  };
  const onFocusOut = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>): void => {
    // Its buttons belong to the field, and so do the dialogs that they open.
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) onLeave();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of four ways; the others are for the keyboard
    <div
      class={isOver ? 'files over' : 'files'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onFocusOut={onFocusOut}
    >
      {files.length > 0 && <ChosenFiles files={files} hasPictures={!isAudio} {...place} />}
      <input
        {...controlAttributes(props)}
        type="text"
        dir="auto"
        spellcheck={false}
        autocomplete="off"
        placeholder={isAudio ? l10n.t('Path; or drop a file here') : l10n.t('Path or URL; or drop a file here')}
        value={text}
        onInput={(event) => onEdit(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
      {refusal !== undefined && (
        <p class="problem" role="alert">
          {refusal}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={() => tell({ type: 'pick', ...place, from: 'disk' })}>
          {l10n.t('Choose File…')}
        </button>
        <button type="button" onClick={() => tell({ type: 'pick', ...place, from: 'library' })}>
          {l10n.t('From Library…')}
        </button>
      </div>
    </div>
  );
}

interface ChosenFilesProps {
  readonly files: readonly ShownFile[];
  readonly hasPictures: boolean;
  readonly operation: OperationId;
  readonly field: string;
}

function ChosenFiles({ files, hasPictures, ...place }: ChosenFilesProps) {
  return (
    <ul>
      {files.map(({ uri, name, thumbnail }) => (
        <li key={uri}>
          {hasPictures && thumbnail !== undefined && <img src={thumbnail} alt="" />}
          <span dir="auto">{name}</span>
          <button
            type="button"
            aria-label={l10n.t('Remove {0}', name)}
            onClick={() => tell({ type: 'removeFile', ...place, uri })}
          >
            {l10n.t('Remove')}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** @returns why something was not taken */
async function takeDropped(
  data: DataTransfer,
  place: { readonly operation: OperationId; readonly field: string },
): Promise<string | undefined> {
  const files = [...data.files];
  const addresses = addressTypes.map((type) => data.getData(type)).find((list) => list !== '');
  const uris = (addresses ?? '').split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (uris.length > 0) {
    tell({ type: 'dropUris', ...place, uris });
    return undefined;
  }
  const large = files.find(({ size }) => size > largestDrop);
  if (large) return l10n.t('{0} is too large to be dropped here: use “Choose File…”.', large.name);
  for (const file of files) {
    tell({ type: 'dropBytes', ...place, name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  return undefined;
}
