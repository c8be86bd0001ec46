import type { Field } from './Field.ts';
import { MediaError } from './MediaError.ts';
import type { MediaRequest, Operation, OperationId } from './operations.ts';
import { operations } from './operations.ts';

/**
 * Checks a request against its operation's description and fills in the defaults.
 *
 * @returns a new object that holds the operation's fields and nothing else
 * @throws MediaError `invalidInput` whose sentence and `field` name the first wrong field
 */
export function validateRequest<Id extends OperationId>(id: Id, input: unknown): MediaRequest<Id> {
  const operation: Operation = operations[id];
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new MediaError('invalidInput', `${operation.title} takes an object with the fields ${namesOf(operation)}.`);
  }
  for (const name of Object.keys(input)) {
    if (!operation.fields.some((field) => field.name === name)) {
      throw new MediaError(
        'invalidInput',
        `There is no field "${name}": ${operation.title} takes ${namesOf(operation)}.`,
        { field: name },
      );
    }
  }
  const given = input as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    operation.fields.map((field) => [field.name, validateField(field, given[field.name])]),
  ) as MediaRequest<Id>;
}

/** Checks one value; an absent one becomes the field's default. Throws like {@link validateRequest}. */
export function validateField(field: Field, value: unknown): unknown {
  if (value === undefined && 'default' in field) return field.default;
  const problem = problemOf(field, value);
  if (problem) {
    throw new MediaError('invalidInput', `${field.label} (${field.name}) ${problem}.`, { field: field.name });
  }
  return field.type === 'model' || field.type === 'video' ? String(value).trim() : value;
}

function namesOf(operation: Operation): string {
  return operation.fields.map((field) => field.name).join(', ');
}

/** What is wrong with a value, as the rest of a sentence that starts with the field; undefined when it is right. */
function problemOf(field: Field, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return 'is missing';
  switch (field.type) {
    case 'integer':
      if (!Number.isSafeInteger(value) || (value as number) < field.minimum) {
        return `must be a whole number of ${field.minimum} or more, not ${shown(value)}`;
      }
      return undefined;
    case 'choice':
      if (typeof value === 'string' && (field.options.includes(value) || (field.open && value.trim() !== ''))) {
        return undefined;
      }
      return `must be one of ${field.options.join(', ')}, not ${shown(value)}`;
    case 'images':
      if (!Array.isArray(value)) return `must be a list of image URLs, not ${shown(value)}`;
      if (value.length === 0) return 'must hold at least one image';
      return value.map(imageProblem).find((problem) => problem !== undefined);
    case 'image':
      return imageProblem(value);
    case 'audioFile':
      return textProblem(value) ?? audioProblem(value as string, field.formats);
    default:
      return textProblem(value);
  }
}

function textProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a text, not ${shown(value)}`;
  return value.trim() === '' ? 'is missing' : undefined;
}

function imageProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && (/^data:image\/[\w.+-]+;base64,./i.test(value) || isHttpUrl(value))) {
    return undefined;
  }
  return `must be an http(s): or data:image/…;base64, URL, not ${shown(value)}`;
}

function audioProblem(path: string, formats: readonly string[]): string | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (formats.includes(extension)) return undefined;
  const name = path.split(/[/\\]/).at(-1);
  return `must be an audio file (${formats.join(', ')}), not ${shown(name)}`;
}

function isHttpUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

/** A value as part of a sentence: short, and of anything but a text or number only the kind. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    const text = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    return JSON.stringify(text);
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
