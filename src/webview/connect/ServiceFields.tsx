import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import type { Area } from '../../operations/operations.ts';
import { areas } from '../../operations/operations.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { BodyOf } from '../protocol/messages.ts';

/** The input of the form. */
export interface ServiceInput extends Readonly<BodyOf<'connect'>['service']> {
  /** Whether each area has its own address; otherwise the address for images is used for all. */
  readonly isSeparate: boolean;
}

export type ServiceField = Area | 'scheme' | 'key';

interface ServiceFieldsProps {
  readonly input: ServiceInput;
  /** Returns the error of a field. */
  errorAt(field: ServiceField): string | undefined;
  onChange(changes: Partial<ServiceInput>): void;
}

const usualSchemes = ['Bearer'];

export function fieldId(field: ServiceField): string {
  return `connect-${field}`;
}

/** One address for everything, or one for each area. */
export function Addresses({ input: { hosts, isSeparate }, errorAt, onChange }: ServiceFieldsProps) {
  return (
    <>
      {(isSeparate ? areas : (['image'] as const)).map((area) => (
        <Fragment key={area}>
          <LabelledField field={area} name={isSeparate ? addressName(area) : l10n.t('Address')}>
            <input
              {...attributesOf(area, errorAt(area))}
              type="text"
              inputMode="url"
              dir="ltr"
              spellcheck={false}
              autocomplete="off"
              placeholder={isSeparate ? l10n.t('optional') : 'https://api.example.com'}
              value={hosts[area]}
              onInput={({ currentTarget }) => onChange({ hosts: { ...hosts, [area]: currentTarget.value } })}
            />
          </LabelledField>
          <FieldError field={area} sentence={errorAt(area)} />
        </Fragment>
      ))}
      <label class="switch" title={l10n.t('for images, audio and video; any of them can be left out')}>
        <input
          type="checkbox"
          checked={isSeparate}
          onChange={({ currentTarget }) => onChange({ isSeparate: currentTarget.checked })}
        />
        <span>{l10n.t('Separate Addresses')}</span>
      </label>
    </>
  );
}

/** The word before the key and the key, in the order of the `Authorization` header. */
export function Authorization({ input, errorAt, onChange }: ServiceFieldsProps) {
  const hintId = useId();
  const scheme = attributesOf('scheme', errorAt('scheme'));
  const key = attributesOf('key', errorAt('key'));
  return (
    <>
      <div class="authorization">
        <LabelledField field="scheme" name={l10n.t('Word before the Key')}>
          <Combobox
            id={scheme.id}
            name={l10n.t('Word before the Key')}
            placeholder={l10n.t('none')}
            text={input.scheme}
            suggestions={usualSchemes}
            isInvalid={scheme['aria-invalid']}
            describedBy={scheme['aria-describedby']}
            onEdit={(text) => onChange({ scheme: text })}
          />
        </LabelledField>
        <LabelledField field="key" name={l10n.t('Key')}>
          <input
            {...key}
            aria-describedby={[key['aria-describedby'], hintId].filter(Boolean).join(' ')}
            type="password"
            dir="ltr"
            autocomplete="off"
            placeholder={l10n.t('Paste the key')}
            value={input.key}
            onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
          />
        </LabelledField>
      </div>
      <FieldError field="scheme" sentence={errorAt('scheme')} />
      <FieldError field="key" sentence={errorAt('key')} />
      <p id={hintId} class="hint">
        {l10n.t('The key is kept in the editor’s secret storage and sent only to this service.')}
      </p>
    </>
  );
}

interface LabelledFieldProps {
  readonly field: ServiceField;
  readonly name: string;
  readonly children: ComponentChildren;
}

function LabelledField({ field, name, children }: LabelledFieldProps) {
  return (
    <div class="labelled">
      <label for={fieldId(field)}>{name}</label>
      {children}
    </div>
  );
}

/** The error of a field. A screen reader reads it at once. */
function FieldError({ field, sentence }: { readonly field: ServiceField; readonly sentence: string | undefined }) {
  return (
    <div role="alert">
      {sentence !== undefined && (
        <p id={errorIdOf(field)} class="problem" dir="auto">
          {sentence}
        </p>
      )}
    </div>
  );
}

function errorIdOf(field: ServiceField): string {
  return `${fieldId(field)}-error`;
}

function attributesOf(field: ServiceField, error: string | undefined) {
  const isInvalid = error !== undefined;
  return {
    id: fieldId(field),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? errorIdOf(field) : undefined,
  };
}

function addressName(area: Area): string {
  switch (area) {
    case 'image':
      return l10n.t('Address for Images');
    case 'audio':
      return l10n.t('Address for Audio');
    case 'video':
      return l10n.t('Address for Video');
  }
}
