import type { Field } from '../operations/Field.ts';
import type { ShownFile, VideoChoice } from './messages.ts';

export function controlId(name: string): string {
  return `field-${name}`;
}

export interface FieldProps {
  readonly field: Field;
  readonly text: string;
  readonly files: readonly ShownFile[];
  readonly models: readonly string[];
  readonly videos: readonly VideoChoice[];
  /** What is wrong, once the person should know. */
  readonly problem: string | undefined;
  onEdit(text: string): void;
  onLeave(): void;
}

/** What every control of a field has in common. */
export function controlAttributes({ field, problem, onLeave }: FieldProps) {
  const id = controlId(field.name);
  return {
    id,
    'aria-invalid': problem !== undefined,
    'aria-required': true,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
    onBlur: onLeave,
  };
}
