import type { Field } from '../operations/Field.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { validateRequest } from '../operations/validateRequest.ts';
import { SandboxError } from './http/SandboxError.ts';

/** The sandbox's own maximum values; the API's specification has no such limits. */
export const requestLimits = { count: 10, characters: 32_000, images: 16, name: 256 } as const;

/**
 * Validates a request as the service would, and against the sandbox's own limits.
 *
 * @throws SandboxError 400 with the name of the field
 */
export function checkRequest<Id extends OperationId>(id: Id, body: unknown): MediaRequest<Id> {
  const request = validated(id, body);
  const values: Readonly<Record<string, unknown>> = request;
  const fields: readonly Field[] = operations[id].fields;
  for (const field of fields) {
    rejectFileUrls(field, values[field.name]);
    const problem = exceededLimit(field, values[field.name]);
    if (problem) {
      throw new SandboxError(400, `${field.label} (${field.name}) ${problem}.`, {
        param: field.name,
        code: 'over_limit',
      });
    }
  }
  return request;
}

function validated<Id extends OperationId>(id: Id, body: unknown): MediaRequest<Id> {
  try {
    return validateRequest(id, body);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new SandboxError(400, error.message, { param: error.field, code: 'invalid_value' });
  }
}

/** Clients replace `file:` URLs before they send a request. The sandbox must not read files on anyone's behalf. */
function rejectFileUrls({ type, name, label }: Field, value: unknown): void {
  if ((type !== 'image' && type !== 'images') || ![value].flat().some((url) => /^file:/i.test(String(url)))) return;
  const sentence = `${label} (${name}) must be an http(s): or data:image/…;base64, URL, not a file: URL.`;
  throw new SandboxError(400, sentence, { param: name, code: 'invalid_value' });
}

function exceededLimit(field: Field, value: unknown): string | undefined {
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  switch (field.type) {
    case 'integer':
      return Number(value) > requestLimits.count ? `must be at most ${requestLimits.count} here` : undefined;
    case 'text':
      return length > requestLimits.characters ? `has more than ${requestLimits.characters} characters` : undefined;
    case 'images':
      return length > requestLimits.images ? `holds more than ${requestLimits.images} images` : undefined;
    case 'model':
    case 'video':
      return length > requestLimits.name ? `has more than ${requestLimits.name} characters` : undefined;
    case 'audioFile': {
      const isSupported = field.formats.some((format) => String(value).toLowerCase().endsWith(`.${format}`));
      if (!isSupported) return `must be an audio file (${field.formats.join(', ')})`;
      return length > requestLimits.name ? `has more than ${requestLimits.name} characters` : undefined;
    }
    default:
      return undefined;
  }
}
