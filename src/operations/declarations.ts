import * as l10n from '@vscode/l10n';
import { addressesIn, stringsIn } from '../foreign/addresses.ts';
import {
  either,
  flag,
  isObject,
  list,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  yes,
} from '../foreign/shape.ts';
import { type Declaration, declaredTypes, type Encoding, type FurtherValue, ofFolder } from './Further.ts';
import { MediaError } from './MediaError.ts';
import { matchesPattern } from './matchesPattern.ts';
import {
  type ChoiceField,
  type Field,
  type IntegerField,
  type Operation,
  type OperationId,
  operationIds,
  operations,
} from './operations.ts';
import { type Preset, presetIds, presetOf } from './presets.ts';
import { shown } from './validateRequest.ts';

// Further fields of a service: what a person declares in the setting `fields` and in a manifest's `accepts`. Both are
// passed around unchecked, as `unknown`, and are checked here when a request is made.

/** A field that is not one of the operation's own. */
export interface FurtherField extends Declaration {
  readonly name: string;
  readonly label: string;
}

/** The fields of an operation's requests, as a service takes them. */
export interface FieldTable {
  readonly id: OperationId;
  /**
   * The operation's own, as they are redeclared, without those that are never sent. The model is always among them: what
   * made a result is recorded and counted, also if the service is not told.
   */
  readonly own: readonly Field[];
  readonly further: readonly FurtherField[];
  /** The names of the operation's own fields that are never sent. */
  readonly without: readonly string[];
  /** The declarations of the operation's own fields that differ from the specification. */
  readonly redeclared: ReadonlyMap<string, Declaration>;
  readonly encoding: Encoding | undefined;
  readonly idempotencyKey: boolean;
  /** The day on which the model ends, as its service announced, such as 2027-01-06; undefined if none is known. */
  readonly endsOn: string | undefined;
}

/** Maximum size of a further field's file, in bytes. */
export const maxFurtherBytes = 50_000_000;

const names = text(200);
const value: Shape<FurtherValue> = either(either(text(), number), either(flag, list(text(), 1000)));
const declaration: Shape<Declaration> = object({
  type: oneOf(declaredTypes),
  values: optional(list(either(names, number), 200)),
  open: optional(yes),
  minimum: optional(number),
  maximum: optional(number),
  default: optional(value),
  models: optional(list(names, 200)),
  label: optional(names),
  description: optional(text(1000)),
});

/** Returns the setting with what a manifest adds to it. */
export function withAccepts(fields: unknown, accepts: unknown): unknown {
  if (accepts === undefined) return fields;
  if (fields === undefined) return accepts;
  const [own, added] = [objectOf(fields), objectOf(accepts)];
  // What is not an object is reported where it is read.
  if (!own || !added) return own ? accepts : fields;
  const merged = Object.entries(added).map(([name, one]) => {
    const [known, further] = [objectOf(own[name]), objectOf(one)];
    return [name, known && further ? { ...known, ...further } : one] as const;
  });
  return { ...own, ...Object.fromEntries(merged) };
}

/** Returns the first declaration that has a default, such as `speak.speed`. @param declared valid declarations */
export function defaultIn(declared: unknown): string | undefined {
  for (const id of operationIds) {
    const found = Object.entries(objectOf(objectOf(declared)?.[id]) ?? {}).find(([, one]) => {
      return objectOf(one)?.default !== undefined;
    });
    if (found) return `${id}.${found[0]}`;
  }
  return undefined;
}

/** Returns the declarations that count, and the names of those of the folder that would widen the person's own. */
export function withFolder(declared: unknown): { readonly declared: unknown; readonly left: readonly string[] } {
  const given = objectOf(declared);
  if (!given || !(ofFolder in given)) return { declared, left: [] };
  try {
    return narrowed(given);
  } catch {
    // What is wrong with the person's own is told where a request is made.
    const { [ofFolder]: _, ...own } = given;
    return { declared: own, left: [] };
  }
}

/**
 * Returns declarations with those of a folder's setting that narrow them: fewer values, closer limits, fewer models or a
 * field that is never sent. A folder declares no fields, no defaults and no words of its own.
 *
 * @returns the declarations that count, and the names of those of the folder that are left out
 */
function narrowed({ [ofFolder]: folder, ...own }: Declarations): {
  readonly declared: Readonly<Record<string, unknown>>;
  readonly left: readonly string[];
} {
  const left: string[] = [];
  const changed: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(objectOf(folder) ?? {})) {
    const id = operationIds.find((one) => one === key);
    if (!id) {
      if (value !== (own[key] ?? (key === 'preset' ? 'none' : undefined))) left.push(key);
      continue;
    }
    const known = declaredOf(id, own);
    const all: Record<string, unknown> = { ...objectOf(own[id]) };
    for (const [name, one] of Object.entries(objectOf(value) ?? {})) {
      const narrow = narrowOne(id, name, Object.hasOwn(known, name) ? known[name] : undefined, one);
      if (narrow === undefined) left.push(`${id}.${name}`);
      else all[name] = narrow;
      if (narrow !== undefined && objectOf(one)?.default !== undefined) left.push(`${id}.${name}.default`);
    }
    if (Object.keys(all).length > 0) changed[id] = all;
  }
  return { declared: changed, left };
}

/** Returns what a person's setting and its preset declare for an operation, and the operation's own fields. */
function declaredOf(id: OperationId, own: Declarations): Readonly<Record<string, Declaration | false>> {
  const { fields }: Operation = operations[id];
  const plain = fields.map((field): readonly [string, Declaration] => {
    const [type = 'string'] = typesOf(field);
    if (field.type === 'integer') return [field.name, { type, minimum: field.minimum, maximum: field.maximum }];
    return [field.name, field.type === 'choice' ? { type, values: field.options, open: field.open } : { type }];
  });
  const { preset, own: mine } = readDeclared(id, own);
  return { ...Object.fromEntries(plain), ...preset?.fields[id], ...mine };
}

/** @returns undefined for what is not valid, or would widen */
function narrowOne(
  id: OperationId,
  name: string,
  known: Declaration | false | undefined,
  one: unknown,
): Declaration | false | undefined {
  if (known === undefined) return undefined;
  if (known === false || one === false) return declarationProblem(id, name, false) === undefined ? false : undefined;
  const { default: _, ...given } = objectOf(one) ?? {};
  if (declarationProblem(id, name, given) !== undefined || given.type !== known.type) return undefined;
  const { values, open, minimum, maximum, models } = given as Partial<Declaration>;
  const isListed = known.values !== undefined && !known.open;
  const kept = isListed ? values?.filter((each) => known.values?.includes(each)) : values;
  const { open: isOpen, ...rest } = known;
  const both = {
    ...rest,
    ...(isOpen && (values === undefined || open) && { open: isOpen }),
    values: kept ?? known.values,
    minimum: extreme(Math.max, known.minimum, minimum),
    maximum: extreme(Math.min, known.maximum, maximum),
    models: models ? (known.models ? known.models.filter((each) => models.includes(each)) : models) : known.models,
  };
  if (stringsIn(kept).some((each) => addressesIn(each).length > 0)) return undefined;
  const { default: standard, ...without } = Object.fromEntries(
    Object.entries(both).filter(([, each]) => each !== undefined),
  ) as Readonly<Record<string, unknown>>;
  const all = standard === undefined ? without : { ...without, default: standard };
  // A default that is not among the values that are left is not sent.
  const valid = [all, without].find((each) => declarationProblem(id, name, each) === undefined);
  return valid as Declaration | undefined;
}

function extreme(of: (...all: number[]) => number, ...limits: readonly (number | undefined)[]): number | undefined {
  const all = limits.filter((limit) => limit !== undefined);
  return all.length > 0 ? of(...all) : undefined;
}

/**
 * Returns the fields of an operation's requests.
 *
 * @param declared the setting `fields`, with what a manifest adds
 * @param model only fields that it takes; all if absent
 * @throws MediaError `invalidInput` that names the first declaration that is not valid
 */
export function fieldTable(id: OperationId, declared: unknown, model?: string): FieldTable {
  const { fields }: Operation = operations[id];
  const plain: FieldTable = {
    id,
    own: fields,
    further: [],
    without: [],
    redeclared: new Map(),
    encoding: undefined,
    idempotencyKey: false,
    endsOn: undefined,
  };
  if (declared === undefined) return plain;
  const { preset, own } = readDeclared(id, declared);
  const all: Readonly<Record<string, Declaration | false>> = { ...(preset && fieldsFor(preset, id, model)), ...own };
  const applying = Object.entries(all).filter(([, one]) => one === false || applies(one, model));
  const isOwn = (name: string) => fields.some((field) => field.name === name);
  const redeclared = new Map(
    applying.flatMap(([name, one]) => (one !== false && isOwn(name) ? [[name, one] as const] : [])),
  );
  const without = applying.flatMap(([name, one]) => (one === false && isOwn(name) ? [name] : []));
  return {
    id,
    own: fields.flatMap((field) => {
      if (without.includes(field.name) && field.type !== 'model') return [];
      const changed = redeclared.get(field.name);
      return [changed ? redeclare(field, changed) : field];
    }),
    further: applying
      .flatMap(([name, one]) => (one === false || isOwn(name) ? [] : [{ ...one, name, label: one.label ?? name }]))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    without,
    redeclared,
    encoding: preset?.encodings[id],
    idempotencyKey: preset?.idempotencyKey !== undefined,
    endsOn: model === undefined ? undefined : preset?.ends?.[id]?.find((one) => applies(one, model))?.date,
  };
}

/** Returns the fields of a preset as a model takes them. @param model all that any model takes if absent */
function fieldsFor(
  { fields, byModel }: Preset,
  id: OperationId,
  model: string | undefined,
): Readonly<Record<string, Declaration | false>> {
  const [all, rows] = [fields[id] ?? {}, byModel?.[id]];
  if (model === undefined || !rows) return all;
  const taken = Object.entries(all).flatMap(([name, one]) => {
    const row = rows[name]?.find((each) => applies(each, model));
    if (row?.facts === false) return [];
    return [[name, one === false ? one : { ...one, ...row?.facts }] as const];
  });
  return Object.fromEntries(taken);
}

function readDeclared(id: OperationId, declared: unknown) {
  const all = objectOf(declared);
  const given = all && ofFolder in all ? narrowed(all).declared : all;
  if (!given) throw wrong('', l10n.t('The declaration of fields must be an object with the names of operations.'));
  const unknown = Object.keys(given).find((name) => name !== 'preset' && !operationIds.some((one) => one === name));
  if (unknown !== undefined) {
    throw wrong(
      unknown,
      l10n.t('There is no operation {0}. The operations are: {1}.', JSON.stringify(unknown), operationIds.join(', ')),
    );
  }
  const presetId = ['none', undefined].includes(given.preset as string | undefined)
    ? undefined
    : presetIds.find((one) => one === given.preset);
  if (presetId === undefined && given.preset !== undefined && given.preset !== 'none') {
    throw wrong('preset', l10n.t('{0} must be one of {1}.', 'preset', ['none', ...presetIds].join(', ')));
  }
  const own = given[id] === undefined ? {} : objectOf(given[id]);
  if (!own) throw wrong(id, l10n.t('{0} must be an object.', id));
  for (const [name, one] of Object.entries(own)) {
    const problem = declarationProblem(id, name, one);
    if (problem !== undefined) throw wrong(`${id}.${name}`, problem);
  }
  return {
    preset: presetId && presetOf(presetId),
    own: own as Readonly<Record<string, Declaration | false>>,
  };
}

function wrong(place: string, sentence: string): MediaError {
  const where = ['fields', ...(place === '' ? [] : [place])].join('.');
  return new MediaError('invalidInput', `${where}: ${sentence}`, { field: where });
}

/** Types that a declaration of an operation's own field may have. */
function typesOf(field: Field): readonly Declaration['type'][] {
  switch (field.type) {
    case 'integer':
      return ['integer'];
    case 'images':
      return ['strings'];
    case 'image':
      return ['string', 'file'];
    case 'audioFile':
      return ['file'];
    case 'model':
    case 'text':
    case 'choice':
    case 'video':
      return ['string'];
  }
}

/** Returns what is wrong with a declaration, as a sentence. */
function declarationProblem(id: OperationId, name: string, one: unknown): string | undefined {
  const { fields }: Operation = operations[id];
  const own = fields.find((field) => field.name === name);
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(name)) {
    return l10n.t('The name of a field has only letters, digits, “_”, “-” and “.”, and begins with a letter.');
  }
  // Every object has a property of this name already, which would count as a value that is given.
  if (name in Object.prototype) return l10n.t('A field cannot be named {0}.', name);
  if (one === false) {
    if (!own || 'default' in own || own.type === 'model') return undefined;
    return l10n.t('{0} cannot do without this field.', l10n.t(operations[id].title));
  }
  const { type } = objectOf(one) ?? {};
  if (!declaredTypes.some((known) => known === type)) {
    return l10n.t('The type of a field is one of {0}.', declaredTypes.join(', '));
  }
  if (!declaration(one)) {
    const known = 'type, values, open, minimum, maximum, default, models, label, description';
    return l10n.t('A declaration may have only these properties, each with a valid value: {0}.', known);
  }
  if (own && !typesOf(own).includes(one.type)) {
    return l10n.t(
      '{0} has a field of this name already; its type is {1}.',
      l10n.t(operations[id].title),
      typesOf(own).join(', '),
    );
  }
  const { minimum, maximum } = one;
  if (one.type === 'integer' && ![minimum ?? 0, maximum ?? 0].every(Number.isSafeInteger)) {
    return l10n.t('The minimum and the maximum of a whole number must be whole numbers.');
  }
  // Amounts are counted by the operation's own whole numbers, which keep their minimum.
  const least = own?.type === 'integer' ? Math.max(own.minimum, minimum ?? own.minimum) : minimum;
  if (least !== undefined && maximum !== undefined && least > maximum) {
    return l10n.t('The minimum is larger than the maximum.');
  }
  // It would be sent with every request without being named in it, and a path has no folder to be relative to.
  if (one.type === 'file' && one.default !== undefined) return l10n.t('A file cannot be the default of a field.');
  const isNumeric = one.type === 'integer' || one.type === 'number';
  if (one.values && (one.values.length === 0 || one.values.some((each) => (typeof each === 'number') !== isNumeric))) {
    return l10n.t('The values must be of the type of the field.');
  }
  const limited = { ...one, minimum: least, name, label: name };
  const ofValue = one.default === undefined ? undefined : furtherProblem(limited, one.default);
  return ofValue === undefined ? undefined : l10n.t('The default is not valid. {0}', ofValue);
}

function applies({ models }: Pick<Declaration, 'models'>, model: string | undefined): boolean {
  return model === undefined || !models || models.some((pattern) => matchesPattern(pattern, model));
}

/** Returns one of the operation's own fields with other values, limits or words. */
function redeclare(field: Field, { values, open, minimum, maximum, default: standard, label }: Declaration): Field {
  const words = label === undefined ? {} : { label };
  if (field.type === 'integer') return redeclareInteger({ ...field, ...words }, { minimum, maximum, standard });
  if (field.type !== 'choice') return { ...field, ...words };
  const options = values?.map(String) ?? field.options;
  const [first = field.default] = options;
  const fits = open === true || options.includes(field.default);
  const isSame = options.every((one) => field.options.includes(one));
  const { isTransfer, technical, ...others }: ChoiceField = field;
  return {
    ...others,
    ...words,
    options,
    default: typeof standard === 'string' ? standard : fits ? field.default : first,
    ...(open || (values === undefined && field.open) ? { open: true } : { open: undefined }),
    // Other values than those of the transfer decide the result.
    ...(isSame && isTransfer ? { isTransfer } : {}),
    ...(isSame && technical ? { technical } : {}),
    ...(options.every((one) => fileFormats.includes(one)) ? { isExtension: true } : {}),
  };
}

function redeclareInteger(
  field: IntegerField,
  { minimum = field.minimum, maximum, standard }: { minimum?: number; maximum?: number; standard?: unknown },
): Field {
  // Amounts are counted by it.
  const least = Math.max(field.minimum, minimum);
  return {
    ...field,
    minimum: least,
    maximum,
    default: typeof standard === 'number' ? standard : Math.max(least, field.default),
  };
}

/** Values of fields that are the formats of files. */
const fileFormats: readonly string[] = [
  'png',
  'jpeg',
  'webp',
  'gif',
  'mp3',
  'wav',
  'opus',
  'aac',
  'flac',
  'pcm',
  'ogg',
];

/** Returns what is wrong with the value of a further field, as a sentence; undefined if it is valid. */
export function furtherProblem(field: FurtherField, given: unknown): string | undefined {
  const name = field.label === field.name ? field.name : `${field.label} (${field.name})`;
  const { type, values, open, minimum, maximum } = field;
  const isOneOf = (one: unknown) => !values || open === true || values.some((known) => known === one);
  switch (type) {
    case 'boolean':
      return typeof given === 'boolean' ? undefined : l10n.t('{0} must be true or false, not {1}.', name, shown(given));
    case 'integer':
    case 'number': {
      const isNumber =
        typeof given === 'number' && (type === 'integer' ? Number.isSafeInteger(given) : Number.isFinite(given));
      if (!isNumber) {
        return type === 'integer'
          ? l10n.t('{0} must be a whole number, not {1}.', name, shown(given))
          : l10n.t('{0} must be a number, not {1}.', name, shown(given));
      }
      if (minimum !== undefined && given < minimum)
        return l10n.t('{0} must be at least {1}, not {2}.', name, minimum, given);
      if (maximum !== undefined && given > maximum)
        return l10n.t('{0} must be at most {1}, not {2}.', name, maximum, given);
      return isOneOf(given) ? undefined : notOneOf(name, field, given);
    }
    case 'strings':
      if (
        !Array.isArray(given) ||
        given.length === 0 ||
        !given.every((one) => typeof one === 'string' && one.trim() !== '')
      ) {
        return l10n.t('{0} must be a list of texts, not {1}.', name, shown(given));
      }
      return given.every(isOneOf)
        ? undefined
        : notOneOf(
            name,
            field,
            given.find((one) => !isOneOf(one)),
          );
    case 'file':
      if (typeof given !== 'string' || !/^(file:\/\/|data:)/i.test(given)) {
        return l10n.t('{0} must be a file, not {1}.', name, shown(given));
      }
      return bytesOfData(given) > maxFurtherBytes
        ? l10n.t('{0} is larger than {1} MB.', name, maxFurtherBytes / 1_000_000)
        : undefined;
    case 'string':
      if (typeof given !== 'string' || given.trim() === '')
        return l10n.t('{0} must be text, not {1}.', name, shown(given));
      return isOneOf(given) ? undefined : notOneOf(name, field, given);
  }
}

/** Returns about how many bytes a `data:` URL holds; 0 for a `file:` URL, whose file is measured when it is read. */
function bytesOfData(url: string): number {
  if (!/^data:/i.test(url)) return 0;
  const start = url.indexOf(',') + 1;
  return (url.length - start) * (/;base64$/i.test(url.slice(0, start - 1)) ? 3 / 4 : 1);
}

/**
 * Returns recorded values without those of fields that take a file. The library may have come with a folder, so none of its
 * texts may choose a file of this computer. What a result was really made from is among its recorded inputs.
 *
 * @param table of any model
 */
export function withoutFiles<T>(
  { further }: Pick<FieldTable, 'further'>,
  values: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  const files = further.filter(({ type }) => type === 'file').map(({ name }) => name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !files.includes(name)));
}

/** Returns those of earlier values that are still declared and valid. */
export function validValues(
  { further }: FieldTable,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, FurtherValue>> {
  const kept = further.filter((field) => furtherProblem(field, values[field.name]) === undefined);
  return Object.fromEntries(kept.map(({ name }) => [name, values[name] as FurtherValue]));
}

function notOneOf(name: string, { values = [] }: FurtherField, given: unknown): string {
  return l10n.t('{0} must be one of {1}, not {2}.', name, values.join(', '), shown(given));
}

type Declarations = Readonly<Record<string | symbol, unknown>>;

function objectOf(value: unknown): Declarations | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns the JSON schema of declarations, for editors. What it accepts is checked by the code all the same. */
export function declarationsSchema(): object {
  const words = { type: 'string', maxLength: 200 };
  const one = {
    type: 'object',
    required: ['type'],
    additionalProperties: false,
    properties: {
      type: { enum: declaredTypes, description: 'Type of its values; strings is a list of texts' },
      values: {
        type: 'array',
        minItems: 1,
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        description: 'Its values',
      },
      open: { const: true, description: 'Set if other values are sent, too' },
      minimum: { type: 'number' },
      maximum: { type: 'number' },
      default: { description: 'Sent wherever no other value is given' },
      models: { type: 'array', items: words, description: 'Models that take it, such as gpt-image-*' },
      label: words,
      description: { type: 'string', maxLength: 1000 },
    },
  };
  const ofOperation = {
    description: "Key: the field's name in the request. false: this field of the operation is never sent",
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' },
    additionalProperties: { anyOf: [{ const: false }, one] },
  };
  return {
    type: 'object',
    propertyNames: { enum: ['preset', ...operationIds] },
    properties: { preset: { enum: ['none', ...presetIds], description: 'The fields of a known service' } },
    additionalProperties: ofOperation,
  };
}
