import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import { extensionsOf } from './fields.ts';
import { MediaError } from './MediaError.ts';
import {
  type AudioFileField,
  type Field,
  type FieldName,
  type ImageField,
  type MediaRequest,
  type OperationId,
  operations,
} from './operations.ts';

/** Hashes in locks and libraries depend on the order in which fields are sent. Further fields follow by their names. */
const order: readonly string[] = [
  'model',
  'video_id',
  'prompt',
  'image_urls',
  'image_url',
  'n',
  'input',
  'voice',
  'response_format',
  'file',
  'output_format',
] satisfies readonly FieldName[];

/** Returns fields in the order in which they are sent and hashed, whatever the order of a table is. */
export function inOrder(fields: readonly Field[]): readonly Field[] {
  const placeOf = ({ name }: Field) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...fields].sort((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Checks a request against its operation's description and fills in the defaults.
 *
 * @returns a new object with exactly the operation's fields
 * @throws MediaError `invalidInput` whose message and `field` name the first invalid field
 */
export function validateRequest<Id extends OperationId>(
  id: Id,
  input: unknown,
  fields: readonly Field[] = operations[id].fields,
): MediaRequest<Id> {
  const names = fields.map(({ name }) => name);
  const given = checkFields(l10n.t(operations[id].title), names, input);
  return Object.fromEntries(
    inOrder(fields).map((field) => [field.name, validateField(field, given[field.name])]),
  ) as MediaRequest<Id>;
}

/** Checks one value and replaces a missing one by the field's default. Throws like {@link validateRequest}. */
export function validateField(field: Field, value: unknown): unknown {
  if (value === undefined && 'default' in field) return field.default;
  const problem = problemOf(field, value);
  if (problem) throw new MediaError('invalidInput', problem, { field: field.name });
  return field.type === 'model' || field.type === 'video' ? String(value).trim() : value;
}

/** Checks one file of a field: the URL of an image, or the path of a recording. Throws like {@link validateRequest}. */
export function validateFile(field: ImageField | AudioFileField, file: string): void {
  validateField(field, field.type === 'images' ? [file] : file);
}

/**
 * Checks that an input is an object with only these fields. Throws like {@link validateRequest}.
 *
 * @param title what accepts the fields, for the message
 */
export function checkFields(
  title: string,
  names: readonly string[],
  input: unknown,
): Readonly<Record<string, unknown>> {
  const taken = names.join(', ');
  if (!isObject(input)) {
    throw new MediaError('invalidInput', l10n.t('{0} takes an object with the fields {1}.', title, taken));
  }
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const sentence = l10n.t('There is no field "{0}": {1} takes {2}.', unknown, title, taken);
    throw new MediaError('invalidInput', sentence, { field: unknown });
  }
  return input;
}

/** Returns the name of a field for messages. */
export function nameOf({ label, name }: Field): string {
  return `${l10n.t(label)} (${name})`;
}

/** Returns the error for an input that cannot be sent. */
export function unusable(field: Field, sentence: string, cause?: unknown): MediaError {
  return new MediaError('invalidInput', `${nameOf(field)}: ${sentence}`, { field: field.name, cause });
}

/** Returns a message that says what is wrong with a value, or undefined if it is valid. */
function problemOf(field: Field, value: unknown): string | undefined {
  const name = nameOf(field);
  if (value === undefined || value === null || value === '') return l10n.t('{0} is missing.', name);
  switch (field.type) {
    case 'integer':
      if (!Number.isSafeInteger(value) || (value as number) < field.minimum) {
        return l10n.t('{0} must be a whole number of {1} or more, not {2}.', name, field.minimum, shown(value));
      }
      if (field.maximum !== undefined && Number(value) > field.maximum) {
        return l10n.t('{0} must be at most {1}, not {2}.', name, field.maximum, shown(value));
      }
      return undefined;
    case 'choice':
      if (typeof value === 'string' && (field.options.includes(value) || (field.open && value.trim() !== ''))) {
        return undefined;
      }
      return l10n.t('{0} must be one of {1}, not {2}.', name, field.options.join(', '), shown(value));
    case 'images':
      if (!Array.isArray(value)) return l10n.t('{0} must be a list of image URLs, not {1}.', name, shown(value));
      if (value.length === 0) return l10n.t('{0} must contain at least one image.', name);
      return value.map((item: unknown) => imageProblem(name, item)).find((problem) => problem !== undefined);
    case 'image':
      return imageProblem(name, value);
    case 'audioFile':
      return textProblem(name, value) ?? audioProblem(name, value as string, extensionsOf(field));
    case 'model':
    case 'text':
      return textProblem(name, value);
    case 'video':
      return (
        textProblem(name, value) ??
        (isPathSegment(String(value).trim())
          ? undefined
          : l10n.t('{0} must be the ID of a video, not {1}.', name, shown(value)))
      );
  }
}

function textProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return l10n.t('{0} must be text, not {1}.', name, shown(value));
  return value.trim() === '' ? l10n.t('{0} is missing.', name) : undefined;
}

/**
 * Tells whether an ID can be encoded as one segment of a path: `.` and `..` lead to another path however they are written, and
 * half a surrogate pair has no encoding.
 */
export function isPathSegment(id: string): boolean {
  return !/^\.{0,2}$/.test(id) && id.isWellFormed();
}

function imageProblem(name: string, value: unknown): string | undefined {
  if (typeof value === 'string' && (/^data:image\/[\w.+-]+;base64,./i.test(value) || isUrl(value))) return undefined;
  return l10n.t('{0} must be an http(s): or data:image/…;base64, URL, not {1}.', name, shown(value));
}

function audioProblem(name: string, path: string, formats: readonly string[]): string | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (formats.includes(extension)) return undefined;
  const file = path.split(/[/\\]/).at(-1);
  return l10n.t('{0} must be an audio file ({1}), not {2}.', name, formats.join(', '), shown(file));
}

/** Accepts `file:` as well: the client sends such an image as a `data:` URL. */
function isUrl(value: string): boolean {
  return /^(https?|file):\/\//i.test(value) && URL.canParse(value);
}

/** Returns a value for a message: shortened text, a number or a flag, and only the type of anything else. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const text = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    return JSON.stringify(text);
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? l10n.t('a list') : l10n.t('a value of type {0}', typeof value);
}
