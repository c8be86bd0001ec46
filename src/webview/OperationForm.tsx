import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Field } from '../operations/Field.ts';
import type { Operation, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { controlId } from './controlAttributes.ts';
import { FieldControl } from './FieldControl.tsx';
import type { FieldTexts, Snapshot } from './messages.ts';
import { problemOf } from './problemOf.ts';

export interface OperationFormProps {
  readonly operation: OperationId;
  readonly snapshot: Snapshot;
  /** What was typed or chosen; the rest are the defaults. */
  readonly texts: FieldTexts;
  readonly submitName: string;
  /** Whether a submission is on its way: another one would be paid for as well. */
  readonly isSending: boolean;
  onEdit(field: string, text: string): void;
  onSubmit(texts: FieldTexts): void;
}

/** The fields of an operation. What is wrong is told once a field was left, or when it is to be sent. */
export function OperationForm(props: OperationFormProps) {
  const { operation, snapshot, texts, submitName, isSending, onEdit, onSubmit } = props;
  const { fields }: Operation = operations[operation];
  const [left, setLeft] = useState<readonly string[]>([]);
  const files = snapshot.files[operation] ?? {};
  const textOf = ({ name }: Field) => texts[name] ?? snapshot.defaults[operation][name] ?? '';
  const problemIn = (field: Field) => problemOf(field, textOf(field), files[field.name]?.length ?? 0);
  const submit = (): void => {
    if (isSending) return;
    setLeft(fields.map(({ name }) => name));
    const wrong = fields.find((field) => problemIn(field) !== undefined);
    if (wrong) document.getElementById(controlId(wrong.name))?.focus();
    else onSubmit(Object.fromEntries(fields.map((field) => [field.name, textOf(field)])));
  };
  // At once after each change, so that the last key that was typed counts.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      submit();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
  return (
    <>
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          text={textOf(field)}
          files={files[field.name] ?? []}
          models={snapshot.models[operation]}
          videos={snapshot.videos}
          problem={left.includes(field.name) ? problemIn(field) : undefined}
          onEdit={(text) => {
            onEdit(field.name, text);
            const model = field.type === 'video' && snapshot.videos.find(({ id }) => id === text)?.model;
            // Only the model that made a video can remix it.
            if (model) onEdit('model', model);
          }}
          onLeave={() => setLeft((names) => [...new Set([...names, field.name])])}
        />
      ))}
      <button
        type="button"
        class="primary"
        aria-disabled={isSending}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onClick={submit}
      >
        {submitName}
      </button>
      <p role="status" class="status">
        {isSending ? l10n.t('Starting…') : ''}
      </p>
    </>
  );
}
