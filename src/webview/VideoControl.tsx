import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { FieldProps } from './controlAttributes.ts';
import { controlAttributes } from './controlAttributes.ts';

/** A video of the library, or any other by its ID. */
export function VideoControl(props: FieldProps) {
  const { text, videos, onEdit } = props;
  const attributes = controlAttributes(props);
  const isListed = videos.some(({ id }) => id === text);
  const [isTyping, setTyping] = useState(false);
  const typed = { type: 'text', dir: 'auto', spellcheck: false, autocomplete: 'off', value: text } as const;
  const onInput = (event: { readonly currentTarget: HTMLInputElement }) => onEdit(event.currentTarget.value);
  if (videos.length === 0) {
    return <input {...attributes} {...typed} placeholder={l10n.t('The ID of a video')} onInput={onInput} />;
  }
  const isOther = isTyping || (text !== '' && !isListed);
  const onChange = (event: { readonly currentTarget: HTMLSelectElement }): void => {
    const { value } = event.currentTarget;
    setTyping(value === other);
    onEdit(value === other ? '' : value);
  };
  return (
    <>
      <select {...attributes} value={isOther ? other : text} onChange={onChange}>
        <option value="">{l10n.t('Choose a video')}</option>
        {videos.map(({ id, label, model }) => (
          <option key={id} value={id}>
            {l10n.t('{0} ({1})', label, model)}
          </option>
        ))}
        <option value={other}>{l10n.t('Another, by its ID…')}</option>
      </select>
      {isOther && <input {...typed} aria-label={l10n.t('Video ID')} onInput={onInput} />}
    </>
  );
}

/** No ID: a line break is in none. */
const other = '\n';
