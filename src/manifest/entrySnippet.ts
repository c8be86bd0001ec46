import { spokenField } from '../operations/fields.ts';
import { type OperationId, operations } from '../operations/operations.ts';
import { captionFields, derivedFields, type EntryField, entryFields } from './entryFields.ts';

/** How a new entry is made: by an operation, or locally, from what its field names. */
export type EntryForm = OperationId | 'from' | 'captions';

/**
 * Returns the value of a new entry as a TextMate snippet with a tab stop for each required field.
 *
 * @param words what the prompt or the text starts with
 * @param stop number of the first tab stop
 */
export function entrySnippet(form: EntryForm, words = '', stop = 1): string {
  const fields = requiredFields(form).map((field, index) => {
    const value = field.isWords && words !== '' ? `\${${stop + index}:${literal(words)}}` : `$${stop + index}`;
    return `"${field.name}": ${field.type === 'paths' ? `["${value}"]` : `"${value}"`}`;
  });
  const isLocal = form === 'from' || form === 'captions';
  return `{ ${[...(isLocal ? [] : [`"operation": "${form}"`]), ...fields].join(', ')} }`;
}

function requiredFields(form: EntryForm): readonly EntryField[] {
  if (form === 'from') return derivedFields.filter(({ isRequired }) => isRequired);
  if (form === 'captions') return captionFields;
  // A text to be spoken is not required, since a document may take its place.
  const spoken = spokenField(operations[form].fields);
  return entryFields(form).filter(({ name, isRequired }) => isRequired || name === spoken?.name);
}

/** Returns text as it stands in a string of a snippet. */
export function literal(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\\$}]/g, '\\$&');
}
