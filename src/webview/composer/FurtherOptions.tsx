import * as l10n from '@vscode/l10n';
import type { FurtherField } from '../../operations/declarations.ts';
import { request } from '../host.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { Composition, Problem } from './composition.ts';

export function controlId(field: string): string {
  return `field-${field}`;
}

export const problemId = 'problem';

interface FurtherOptionsProps {
  readonly composition: Composition;
  readonly problem: Problem | undefined;
  onOption(name: string, text: string): void;
}

/** The further fields of the service. */
export function FurtherOptions({ composition, problem, onOption }: FurtherOptionsProps) {
  return (
    <>
      {composition.further.map((field) => {
        const props = {
          field,
          text: composition.entered[field.name] ?? '',
          isInvalid: problem?.field === field.name,
          onText: (text: string) => onOption(field.name, text),
        };
        if (isShape(field)) return <Shapes key={field.name} {...props} />;
        return (
          <label key={field.name} for={controlId(field.name)} title={field.description && l10n.t(field.description)}>
            <span>{l10n.t(field.label)}</span>
            <Control {...props} />
          </label>
        );
      })}
    </>
  );
}

interface ControlProps {
  readonly field: FurtherField;
  readonly text: string;
  readonly isInvalid: boolean;
  onText(text: string): void;
}

/** Fields that decide the shape of a picture or video, with few values. */
function isShape({ name, type, values }: FurtherField): boolean {
  return (name === 'size' || name === 'aspect_ratio') && type === 'string' && (values?.length ?? 0) > 0;
}

/** A shape, chosen by a button of its own. The service decides if none is. */
function Shapes({ field, text, isInvalid, onText }: ControlProps) {
  const { values = [], open, label } = field;
  const isOther = text !== '' && !values.includes(text);
  return (
    <div class="shapes">
      <span aria-hidden="true">{l10n.t(label)}</span>
      <div role="radiogroup" aria-label={l10n.t('Shape')} aria-invalid={isInvalid}>
        {['', ...values.map(String)].map((value) => (
          <label key={value} class="shape">
            <input
              type="radio"
              name={controlId(field.name)}
              id={value === '' ? controlId(field.name) : undefined}
              checked={text === value}
              onChange={() => onText(value)}
            />
            <span>{value === '' ? l10n.t('Default') : value}</span>
          </label>
        ))}
      </div>
      {open && (
        <input
          type="text"
          class="other-shape"
          aria-label={l10n.t('Other {0}', l10n.t(label))}
          placeholder={l10n.t('Other')}
          value={isOther ? text : ''}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function Control({ field, text, isInvalid, onText }: ControlProps) {
  const { name, type, values, open, minimum, maximum } = field;
  const attributes = {
    id: controlId(name),
    'aria-label': l10n.t(field.label),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? problemId : undefined,
  };
  if (type === 'file') return <FileControl name={name} label={l10n.t(field.label)} text={text} onText={onText} />;
  const choices = type === 'boolean' ? ['true', 'false'] : type === 'string' && !open ? values?.map(String) : undefined;
  if (choices) {
    return (
      <select {...attributes} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{l10n.t('Default')}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'string' && values) {
    return (
      <Combobox
        id={attributes.id}
        name={attributes['aria-label']}
        text={text}
        isInvalid={isInvalid}
        describedBy={attributes['aria-describedby']}
        suggestions={values.map(String)}
        onEdit={onText}
      />
    );
  }
  const shown = {
    ...attributes,
    value: text,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  const placeholder = type === 'strings' ? l10n.t('separated by commas') : l10n.t('Default');
  if (type !== 'integer' && type !== 'number') return <input {...shown} type="text" placeholder={placeholder} />;
  const step = type === 'number' ? 'any' : 1;
  return <input {...shown} type="number" min={minimum} max={maximum} step={step} placeholder={placeholder} />;
}

interface FileControlProps {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  onText(text: string): void;
}

function FileControl({ name, label, text, onText }: FileControlProps) {
  const file = decodeURIComponent(
    text
      .replace(/[?#].*/, '')
      .split('/')
      .at(-1) ?? '',
  );
  const shown = file === '' ? l10n.t('Choose a File…') : file;
  const choose = async (): Promise<void> => {
    const uri = await request('chooseFile', { field: label });
    if (uri !== null) onText(uri);
  };
  return (
    <span class="file-choice">
      <button type="button" id={controlId(name)} aria-label={`${label}: ${shown}`} onClick={() => void choose()}>
        {shown}
      </button>
      {file !== '' && (
        <button type="button" aria-label={l10n.t('Remove {0}', file)} onClick={() => onText('')}>
          ×
        </button>
      )}
    </span>
  );
}
