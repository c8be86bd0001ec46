import { maxSide } from '../images/ImageChange.ts';
import { readByTools, textExtension, windowsReserved } from '../library/fileName.ts';
import { declarationsSchema, fieldTable } from '../operations/declarations.ts';
import { isOtherFormat, nameIn, spokenField } from '../operations/fields.ts';
import {
  type AssetKind,
  type OperationId,
  operationIds,
  operations,
  outputExtensions,
} from '../operations/operations.ts';
import { presetIds } from '../operations/presets.ts';
import { captionEndings, captionFields, derivedFields, type EntryField, entryFields } from './entryFields.ts';
import { reservedFolders } from './Manifest.ts';

// `npm run generate` writes the schema into `media/`; no bundle contains this file.

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON schema of `media.jsonc`, with which editors complete and check it. It follows from the operations, and
 * refuses what `readManifest` refuses, as far as a schema can.
 */
export function manifestSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'Media assets to generate; paths are relative to this file',
    type: 'object',
    required: ['assets'],
    additionalProperties: false,
    properties: {
      $schema: true,
      accepts: { $ref: '#/definitions/accepts' },
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
        propertyNames: { $ref: '#/definitions/output' },
        // The extension decides which operations can make a file.
        patternProperties: Object.fromEntries([
          ...entryKinds.map(({ name, endings }) => [endingIn(endings), { $ref: `#/definitions/${name}` }] as const),
          ...ownFormats(),
        ]),
        additionalProperties: false,
      },
    },
    definitions: {
      path: { type: 'string', pattern: `^${validPath}` },
      documents: { type: 'string', pattern: `^${validPattern}` },
      output: { type: 'string', pattern: `^${notReadByTools}${validPath}` },
      accepts: {
        description: 'Further fields that the service takes, added to the setting "unifiedMedia.fields"',
        ...declarationsSchema(),
      },
      ...Object.fromEntries(entryKinds.map((kind) => [kind.name, entry(kind)])),
    },
    ...knownChoices(),
  };
}

/** Entries that take the same fields. */
interface EntryKind {
  readonly name: string;
  readonly result: AssetKind;
  readonly endings: readonly string[];
  /** Those of an entry without an operation, which is made locally. */
  readonly local?: { readonly description: string; readonly fields: readonly EntryField[] };
}

const entryKinds: readonly EntryKind[] = [
  {
    name: 'images',
    result: 'images',
    endings: outputExtensions.images,
    local: { description: 'Made locally from another image, for free', fields: derivedFields },
  },
  { name: 'speech', result: 'speech', endings: outputExtensions.speech },
  {
    name: 'transcripts',
    result: 'transcripts',
    endings: outputExtensions.transcripts.filter((ending) => !captionEndings.includes(ending)),
  },
  {
    name: 'subtitles',
    result: 'transcripts',
    endings: captionEndings,
    local: { description: 'Subtitles of a transcript, made locally and for free', fields: captionFields },
  },
  { name: 'videos', result: 'videos', endings: outputExtensions.videos },
];

/**
 * Returns the part of the schema that refuses values that no service is known to take, such as an unknown voice. It
 * does not apply to a manifest with `accepts`, which may declare other values: a schema cannot follow that.
 */
function knownChoices(): Schema {
  const choices = operationIds.map((id) => {
    const fields = ownChoices(id).filter(({ isOpen }) => !isOpen);
    const properties = Object.fromEntries(fields.map(({ name, options }) => [name, { enum: options }]));
    return [id, { type: 'object', properties }] as const;
  });
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
  const ofEntries = choices.map(([id, properties]) => ({ if: hasOperation(id), then: properties }));
  return {
    if: { not: { type: 'object', required: ['accepts'], properties: { accepts: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
    then: {
      type: 'object',
      properties: {
        defaults: { type: 'object', properties: Object.fromEntries(choices) },
        assets: { type: 'object', additionalProperties: { type: 'object', allOf: ofEntries } },
      },
    },
  };
}

/** Returns the fields of an entry that are choices, with the values of the presets. */
function ownChoices(id: OperationId): readonly EntryField[] {
  const ofPresets = presetIds.map((preset) => entryFields(id, fieldTable(id, { preset }).own));
  return entryFields(id).flatMap((field) => {
    if (field.type !== 'choice') return [];
    const same = [field, ...ofPresets.flat().filter(({ name }) => name === field.name)];
    const options = [...new Set(same.flatMap((one) => one.options ?? []))];
    return [{ ...field, options, isOpen: same.some(({ isOpen }) => isOpen) }];
  });
}

function hasOperation(id: OperationId): Schema {
  return { type: 'object', required: ['operation'], properties: { operation: { const: id } } };
}

/** Returns a pattern of paths with one of these extensions. */
function endingIn(extensions: readonly string[]): string {
  return inPaths(new RegExp(`\\.(${extensions.join('|')})$`), '$');
}

function defaultsOf(id: OperationId): Schema {
  const fields = entryFields(id).filter(({ hasDefault }) => hasDefault);
  return { description: operations[id].title, ...objectOf(fields) };
}

/** Returns the schema of entries, whose fields depend on their operations. */
function entry({ result, local }: EntryKind): Schema {
  const ids = operationIds.filter((id) => operations[id].result === result);
  const hasAny = { type: 'object', required: ['operation'], properties: { operation: true } };
  // What it is made from is its first field.
  const source = local?.fields[0]?.name ?? '';
  return {
    type: 'object',
    ...(!local && { required: ['operation'] }),
    properties: {
      operation: { description: 'The operation that generates the asset', enum: ids },
      ...Object.fromEntries(local?.fields.map((field) => [field.name, typeOf(field)]) ?? []),
    },
    allOf: [
      ...ids.map(entryOf),
      ...(local
        ? [
            {
              if: { not: hasAny },
              // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
              then: {
                if: { type: 'object', required: [source], properties: { [source]: true } },
                // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
                then: { ...objectOf(local.fields), description: local.description },
                else: { required: ['operation'] },
              },
            },
          ]
        : []),
    ],
  };
}

function entryOf(id: OperationId): Schema {
  const { required, properties, ...object } = objectOf(entryFields(id));
  const { title } = operations[id];
  const spoken = spokenField(operations[id].fields);
  const holds = (name: string) => ({ type: 'object', required: [name], properties: { [name]: true } });
  return {
    if: hasOperation(id),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
    then: {
      description: title,
      ...object,
      required: ['operation', ...required],
      properties: { operation: true, ...properties },
      ...(spoken && { oneOf: [holds(nameIn('manifest', spoken)), holds('document')] }),
    },
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

/** A whole number from 1 to {@link maxSide}. */
const sidePattern = '(?:[1-9]\\d{0,3}|1[0-5]\\d{3}|16[0-2]\\d{2}|163[0-7]\\d|1638[0-3])';

const notBlank = { type: 'string', pattern: '\\S' } as const;

function typeOf({ name, type, options, minimum, maximum, properties }: EntryField): Schema {
  if (name === 'document') return { anyOf: [{ $ref: '#/definitions/path' }, { $ref: '#/definitions/documents' }] };
  switch (type) {
    case 'text':
      return notBlank;
    case 'integer':
      return { type: 'integer', minimum, maximum };
    case 'choice':
      // A declaration may allow other values: see knownChoices.
      return { anyOf: [{ enum: options }, notBlank] };
    case 'size':
      return {
        anyOf: [
          { type: 'array', items: { type: 'integer', minimum: 1, maximum: maxSide }, minItems: 2, maxItems: 2 },
          { type: 'string', pattern: `^${sidePattern}x${sidePattern}$` },
        ],
      };
    case 'style':
      return { const: false };
    case 'fields':
      return { type: 'object', properties };
    case 'path':
      return { allOf: [{ $ref: '#/definitions/path' }] };
    case 'paths':
      return { type: 'array', items: { $ref: '#/definitions/path' }, minItems: 1 };
  }
}

/** Returns what refuses the formats that the extension of a path excludes. */
function ownFormats(): readonly (readonly [pattern: string, entry: Schema])[] {
  return operationIds.flatMap((id) =>
    operations[id].fields.flatMap((field) => {
      if (field.type !== 'choice') return [];
      return outputExtensions[operations[id].result].flatMap((ending) => {
        const others = field.options.filter((one) => isOtherFormat(field, one, `a.${ending}`));
        const properties = { [nameIn('manifest', field)]: { not: { enum: others } } };
        return others.length > 0 ? [[endingIn([ending]), { type: 'object', properties }] as const] : [];
      });
    }),
  );
}

/** No control or invisible character. */
const character = '[^\\p{Cc}\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0\\u2028\\u2029\\\\"*:<>?|]';

/** As {@link pathProblem}, but for characters. */
const validNames = [
  // No URL, drive or home folder, and no absolute path.
  '(?![A-Za-z][A-Za-z0-9+.-]*:)(?![/~])',
  // No empty segment, `.`, `..`, or name that ends in a dot or a space.
  '(?!(.*/)?(/|$))(?!(.*/)?[^/]*[. ](/|$))',
  // No reserved folder, and no device of Windows.
  `(?!.*${inPaths(reservedFolders)})(?!.*${inPaths(windowsReserved)})`,
].join('');

const validPath = `${validNames}${character}+$`;

/** A path with one `*`, in its last part. */
const validPattern = `${validNames}${character}*\\*((?!/)${character})*$`;

/** As {@link isReadByTools}. */
const notReadByTools = [
  `(?!(.*/)?(?=\\.).*${inPaths(textExtension, '$')})`,
  `(?!.*(${inPaths(readByTools, inPaths(textExtension, '$'))}))`,
].join('');

/**
 * Returns the pattern of the paths with a name that an expression matches in any case. Schemas have no flags.
 *
 * @param end what follows a name
 */
function inPaths({ source }: RegExp, end = '(/|$)'): string {
  return source.replace(/\\.|\[[^\]]{1,200}\]|[a-z^$]/g, (part) => {
    if (part === '^') return '(^|/)';
    if (part === '$') return end;
    if (part.startsWith('[')) return part.replace(/[a-z]/g, (one) => one + one.toUpperCase());
    return part.startsWith('\\') ? part : `[${part}${part.toUpperCase()}]`;
  });
}
