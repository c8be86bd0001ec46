import type { Field } from '../operations/Field.ts';
import { validateField } from '../operations/validateRequest.ts';

/**
 * What is wrong with a field, as a sentence.
 *
 * @param files how many have been chosen for it; they were checked when they were
 */
export function problemOf(field: Field, text: string, files: number): string | undefined {
  try {
    validateField(field, valueIn(field, text, files));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function valueIn(field: Field, text: string, files: number): unknown {
  const isGiven = files > 0 || text.trim() !== '';
  switch (field.type) {
    case 'integer':
      return /^\s*\d+\s*$/.test(text) ? Number(text) : text;
    case 'image':
      return isGiven ? 'https://example.com' : '';
    case 'images':
      return isGiven ? ['https://example.com'] : [];
    case 'audioFile':
      return files > 0 ? `.${field.formats[0]}` : text.trim();
    default:
      return text;
  }
}
