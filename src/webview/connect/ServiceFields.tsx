import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import type { Area } from '../../operations/operations.ts';
import { areas } from '../../operations/operations.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { BodyOf } from '../protocol/messages.ts';

/** What is typed. */
export interface Entered extends Readonly<BodyOf<'connect'>['service']> {
  /** Whether each area has an address of its own; else that for images is the one for all. */
  readonly isEach: boolean;
}

export type ServiceField = Area | 'scheme' | 'key';

interface ServiceFieldsProps {
  readonly entered: Entered;
  /** What is wrong with a field. */
  wrongAt(field: ServiceField): string | undefined;
  onChange(changes: Partial<Entered>): void;
}

const usualSchemes = ['Bearer'];

export function fieldId(field: ServiceField): string {
  return `connect-${field}`;
}

/** One address for everything, or one for each. */
export function Addresses({ entered: { hosts, isEach }, wrongAt, onChange }: ServiceFieldsProps) {
  return (
    <>
      {(isEach ? areas : (['image'] as const)).map((area) => (
        <Fragment key={area}>
          <Labelled field={area} name={isEach ? addressName(area) : l10n.t('Address')}>
            <input
              {...attributesOf(area, wrongAt(area))}
              type="text"
              inputMode="url"
              dir="ltr"
              spellcheck={false}
              autocomplete="off"
              placeholder={isEach ? l10n.t('empty if there is none') : 'https://api.example.com'}
              value={hosts[area]}
              onInput={({ currentTarget }) => onChange({ hosts: { ...hosts, [area]: currentTarget.value } })}
            />
          </Labelled>
          <Wrong field={area} sentence={wrongAt(area)} />
        </Fragment>
      ))}
      <label class="switch" title={l10n.t('for images, audio and video; any of them can be left out')}>
        <input
          type="checkbox"
          checked={isEach}
          onChange={({ currentTarget }) => onChange({ isEach: currentTarget.checked })}
        />
        <span>{l10n.t('Separate Addresses')}</span>
      </label>
    </>
  );
}

/** The word and the key, as they follow each other in the header. */
export function Authorization({ entered, wrongAt, onChange }: ServiceFieldsProps) {
  const hintId = useId();
  const scheme = attributesOf('scheme', wrongAt('scheme'));
  const key = attributesOf('key', wrongAt('key'));
  return (
    <>
      <div class="authorization">
        <Labelled field="scheme" name={l10n.t('Word before the Key')}>
          <Combobox
            id={scheme.id}
            name={l10n.t('Word before the Key')}
            placeholder={l10n.t('none')}
            text={entered.scheme}
            suggestions={usualSchemes}
            isWrong={scheme['aria-invalid']}
            describedBy={scheme['aria-describedby']}
            onEdit={(text) => onChange({ scheme: text })}
          />
        </Labelled>
        <Labelled field="key" name={l10n.t('Key')}>
          <input
            {...key}
            aria-describedby={[key['aria-describedby'], hintId].filter(Boolean).join(' ')}
            type="password"
            dir="ltr"
            autocomplete="off"
            placeholder={l10n.t('Paste the key')}
            value={entered.key}
            onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
          />
        </Labelled>
      </div>
      <Wrong field="scheme" sentence={wrongAt('scheme')} />
      <Wrong field="key" sentence={wrongAt('key')} />
      <p id={hintId} class="hint">
        {l10n.t('The key is kept in the editor’s secret storage and sent only to this service.')}
      </p>
    </>
  );
}

interface LabelledProps {
  readonly field: ServiceField;
  readonly name: string;
  readonly children: ComponentChildren;
}

function Labelled({ field, name, children }: LabelledProps) {
  return (
    <div class="labelled">
      <label for={fieldId(field)}>{name}</label>
      {children}
    </div>
  );
}

/** What is wrong with a field, read out at once. */
function Wrong({ field, sentence }: { readonly field: ServiceField; readonly sentence: string | undefined }) {
  return (
    <div role="alert">
      {sentence !== undefined && (
        <p id={problemIdOf(field)} class="problem" dir="auto">
          {sentence}
        </p>
      )}
    </div>
  );
}

function problemIdOf(field: ServiceField): string {
  return `${fieldId(field)}-problem`;
}

function attributesOf(field: ServiceField, wrong: string | undefined) {
  const isWrong = wrong !== undefined;
  return {
    id: fieldId(field),
    'aria-invalid': isWrong,
    'aria-describedby': isWrong ? problemIdOf(field) : undefined,
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
