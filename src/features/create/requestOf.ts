import type { Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';

/**
 * Returns the composer's request. Missing and wrong values are left to the validation that every request goes through.
 *
 * @param texts by the fields' names on the wire
 * @param filesOf returns the files of a field
 */
export function requestOf(
  id: OperationId,
  texts: Readonly<Record<string, string>>,
  filesOf: (field: string) => readonly string[],
): Readonly<Record<string, unknown>> {
  const { fields }: Operation = operations[id];
  return Object.fromEntries(
    fields.map((field) => {
      const text = texts[field.name] ?? '';
      switch (field.type) {
        case 'integer':
          return [field.name, /^\d+$/.test(text.trim()) ? Number(text) : text];
        case 'images':
          return [field.name, filesOf(field.name)];
        case 'image':
        case 'audioFile':
          return [field.name, filesOf(field.name)[0] ?? ''];
        default:
          return [field.name, text];
      }
    }),
  );
}
