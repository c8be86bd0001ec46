import { outputExtensions } from '../operations/fileExtensions.ts';
import type { OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import type { EntryField } from './entryFields.ts';
import { derivedFields, entryFields } from './entryFields.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON schema of `media.jsonc`, with which editors complete and check it. It follows from the operations.
 */
export function manifestSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'Media assets to generate; paths are relative to this file',
    type: 'object',
    required: ['assets'],
    additionalProperties: false,
    allowTrailingCommas: true,
    properties: {
      $schema: { type: 'string' },
      defaults: {
        description: 'Default fields of the entries, by operation',
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(operationIds.map((id) => [id, defaultsOf(id)])),
      },
      style: { description: 'Appended to every image and video prompt', type: 'string' },
      assets: {
        description: 'The assets, by the paths of their files',
        type: 'object',
        additionalProperties: { $ref: '#/definitions/entry' },
      },
    },
    definitions: { path: path(), entry: entry() },
  };
}

function defaultsOf(id: OperationId): Schema {
  const fields = entryFields(id).filter(({ hasDefault }) => hasDefault);
  return { description: operations[id].title, ...objectOf(fields) };
}

/** Returns the schema of an entry, whose fields depend on its operation. */
function entry(): Schema {
  const byOperation = operationIds.map((id) => {
    const { properties, required } = objectOf(entryFields(id));
    const { title, result } = operations[id];
    const made = outputExtensions[result].map((one) => `.${one}`).join(', ');
    return {
      if: { required: ['operation'], properties: { operation: { const: id } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
      then: {
        description: `${title}; output: ${made}`,
        additionalProperties: false,
        required: ['operation', ...required],
        properties: { operation: true, ...properties },
        ...(id === 'speak' ? { oneOf: [{ required: ['input'] }, { required: ['document'] }] } : {}),
      },
    };
  });
  return {
    type: 'object',
    properties: {
      operation: { description: 'The operation that generates the asset', enum: operationIds },
      from: { $ref: '#/definitions/path' },
    },
    oneOf: [
      { required: ['operation'] },
      { ...objectOf(derivedFields), description: 'Made locally from another image, for free' },
    ],
    allOf: byOperation,
  };
}

function objectOf(fields: readonly EntryField[]) {
  return {
    type: 'object',
    additionalProperties: false,
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, { description: field.description, ...typeOf(field) }]),
    ),
  };
}

function typeOf({ type, options, isOpen }: EntryField): Schema {
  switch (type) {
    case 'text':
      return { type: 'string', minLength: 1 };
    case 'count':
      return { type: 'integer', minimum: 1, maximum: 1000 };
    case 'quality':
      return { type: 'integer', minimum: 1, maximum: 100 };
    case 'choice':
      return isOpen ? { anyOf: [{ enum: options }, { type: 'string' }] } : { enum: options };
    case 'size':
      return { type: 'array', items: { type: 'integer', minimum: 1, maximum: 16_383 }, minItems: 2, maxItems: 2 };
    case 'path':
      return { allOf: [{ $ref: '#/definitions/path' }] };
    case 'paths':
      return { type: 'array', items: { $ref: '#/definitions/path' }, minItems: 1 };
  }
}

function path(): Schema {
  return { type: 'string', pattern: '^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!(.*/)?\\.\\.(/|$))[^/\\\\~][^\\\\]*$' };
}
