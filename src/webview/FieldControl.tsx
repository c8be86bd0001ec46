import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import type { ChoiceField } from '../operations/Field.ts';
import type { FieldProps } from './controlAttributes.ts';
import { controlAttributes, controlId } from './controlAttributes.ts';
import { FilesControl } from './FilesControl.tsx';
import { VideoControl } from './VideoControl.tsx';

/** A label, the control that fits, and what is wrong with what it holds. */
export function FieldControl(props: FieldProps) {
  const { field, problem } = props;
  const id = controlId(field.name);
  return (
    <div class="field">
      <label for={id}>{l10n.t(field.label)}</label>
      {controlOf(props)}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function controlOf(props: FieldProps): ComponentChildren {
  const { field, text, models, onEdit } = props;
  const attributes = controlAttributes(props);
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) => onEdit(event.currentTarget.value);
  switch (field.type) {
    case 'text':
      return (
        <textarea {...attributes} dir="auto" placeholder={l10n.t(field.placeholder)} value={text} onInput={onInput} />
      );
    case 'integer':
      return <input {...attributes} type="number" min={field.minimum} step={1} value={text} onInput={onInput} />;
    case 'model':
      return <Suggesting {...attributes} text={text} suggestions={models} onInput={onInput} />;
    case 'choice':
      if (field.open) return <Suggesting {...attributes} text={text} suggestions={field.options} onInput={onInput} />;
      return (
        <select {...attributes} value={text} onChange={onInput}>
          {field.options.map((option) => (
            <option key={option} value={option}>
              {describedOption(field, option)}
            </option>
          ))}
        </select>
      );
    case 'video':
      return <VideoControl {...props} />;
    default:
      return <FilesControl {...props} field={field} />;
  }
}

function describedOption({ descriptions }: ChoiceField, option: string): string {
  const description = descriptions?.[option];
  return description === undefined ? option : l10n.t('{0} – {1}', option, l10n.t(description));
}

interface SuggestingProps {
  readonly id: string;
  readonly text: string;
  readonly suggestions: readonly string[];
  onInput(event: { readonly currentTarget: HTMLInputElement }): void;
}

/** Free text with names to choose from. */
function Suggesting({ text, suggestions, ...attributes }: SuggestingProps) {
  const list = `${attributes.id}-suggestions`;
  return (
    <>
      <input {...attributes} type="text" list={list} value={text} spellcheck={false} autocomplete="off" />
      <datalist id={list}>
        {suggestions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
