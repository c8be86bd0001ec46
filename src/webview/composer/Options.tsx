import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import type { ChoiceField, Field, Operation } from '../../operations/operations.ts';
import { operations, takesVideo } from '../../operations/operations.ts';
import { Combobox } from '../parts/Combobox.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { Composition, Problem } from './composition.ts';

export function controlId(field: string): string {
  return `field-${field}`;
}

export const problemId = 'problem';

interface OptionsProps {
  readonly composition: Composition;
  readonly models: readonly string[];
  readonly problem: Problem | undefined;
  onModel(model: string): void;
  /** Called when the model field gets the focus. */
  onModelFocus(): void;
  onOption(name: string, text: string): void;
}

/** The model and the options of the result. A button reveals the technical ones. */
export function Options(props: OptionsProps) {
  const { composition, problem } = props;
  const [isMore, setMore] = useState(false);
  const moreId = useId();
  const { fields }: Operation = operations[composition.operation];
  const options = fields.filter((field) => field.type === 'model' || field.type === 'integer' || isRealChoice(field));
  const technical = options.filter(isTechnical);
  // An invalid field must be visible.
  const isOpen = technical.length > 0 && (isMore || technical.some(({ name }) => name === problem?.field));
  return (
    <>
      {options
        .filter((field) => !isTechnical(field))
        .map((field) => (
          <Option key={field.name} {...props} field={field} />
        ))}
      {technical.length > 0 && (
        <button
          type="button"
          class="tool"
          title={l10n.t('More Options')}
          aria-label={l10n.t('More Options')}
          aria-expanded={isOpen}
          aria-controls={isOpen ? moreId : undefined}
          onClick={() => setMore(!isMore)}
        >
          <Icon name="settings" />
        </button>
      )}
      {isOpen && (
        <div id={moreId} class="more-options">
          {technical.map((field) => (
            <label key={field.name} for={controlId(field.name)}>
              <span>{l10n.t(field.label)}</span>
              <Option {...props} field={field} />
            </label>
          ))}
        </div>
      )}
    </>
  );
}

/** Whether there is more than one option to choose from. */
function isRealChoice(field: Field): field is ChoiceField {
  return field.type === 'choice' && (field.options.length > 1 || field.open === true);
}

function isTechnical(field: Field): boolean {
  return field.type === 'choice' && field.technical === true;
}

function Option(props: OptionsProps & { readonly field: Field }) {
  const { field, composition, models, problem, onModel, onModelFocus, onOption } = props;
  const text = composition.values[field.name] ?? '';
  const isInvalid = problem?.field === field.name;
  const attributes = {
    id: controlId(field.name),
    'aria-label': l10n.t(field.label),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? problemId : undefined,
  };
  const combobox = {
    id: attributes.id,
    name: attributes['aria-label'],
    text,
    isInvalid,
    describedBy: attributes['aria-describedby'],
  };
  if (field.type === 'model') {
    const isRemix = takesVideo(operations[composition.operation]);
    return <Combobox {...combobox} suggestions={models} isDisabled={isRemix} onEdit={onModel} onFocus={onModelFocus} />;
  }
  if (field.type === 'integer') {
    return (
      <input
        {...attributes}
        class="count"
        type="number"
        title={l10n.t(field.label)}
        min={field.minimum}
        step={1}
        value={text}
        onInput={(event) => onOption(field.name, event.currentTarget.value)}
      />
    );
  }
  if (field.type !== 'choice') return null;
  if (field.open) {
    return <Combobox {...combobox} suggestions={field.options} onEdit={(value) => onOption(field.name, value)} />;
  }
  return (
    <select
      {...attributes}
      title={l10n.t(field.label)}
      value={text}
      onChange={(event) => onOption(field.name, event.currentTarget.value)}
    >
      {field.options.map((option) => (
        <option key={option} value={option}>
          {optionLabel(field, option)}
        </option>
      ))}
    </select>
  );
}

function optionLabel({ descriptions }: ChoiceField, option: string): string {
  const description = descriptions?.[option];
  return description === undefined ? option : l10n.t('{0} – {1}', option, l10n.t(description));
}
