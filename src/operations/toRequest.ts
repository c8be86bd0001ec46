import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import { type FieldTable, type FurtherField, fieldTable, furtherProblem } from './declarations.ts';
import type { Further, FurtherValue } from './Further.ts';
import { MediaError } from './MediaError.ts';
import { type Field, type MediaRequest, type Operation, type OperationId, operations } from './operations.ts';
import { inOrder, validateRequest } from './validateRequest.ts';

/** What one way in holds beside the operation's own fields. */
export interface GivenFurther {
  /** The setting `fields` with what a manifest adds, not checked yet. */
  readonly declared?: unknown;
  /** Values by the names of further fields, as given. */
  readonly fields?: unknown;
  /** Returns the `file:` or `data:` URL of a file that is given for a field. */
  readonly locate?: (field: FurtherField, file: unknown) => unknown;
}

/**
 * Builds a request from what one way in holds: the arguments of a command, a form, a tool's input or an entry.
 *
 * @param given returns the value of a field as it is sent; undefined for its default
 * @throws MediaError as {@link validateRequest}; it names an invalid declaration or further field, too
 */
export async function toRequest<Id extends OperationId>(
  id: Id,
  given: (field: Field) => unknown,
  more: GivenFurther = {},
): Promise<MediaRequest<Id>> {
  const { fields }: Operation = operations[id];
  const model = fields.find(({ type }) => type === 'model');
  const named = model && (await given(model));
  const table = fieldTable(id, more.declared, typeof named === 'string' ? named.trim() : undefined);
  const values = await Promise.all(
    table.own.map(async (field) => [field.name, field.type === 'model' ? named : await given(field)] as const),
  );
  // What is never sent keeps its default here, by which it is counted and recorded.
  const all = fields.map((field) => table.own.find(({ name }) => name === field.name) ?? field);
  const request = validateRequest(id, Object.fromEntries(values), all);
  checkRedeclared(table, request);
  const further = furtherOf(table, await located(table, more));
  return further ? { ...request, further } : request;
}

/** Checks the values of redeclared fields that the field itself accepts, such as the name of a model. */
function checkRedeclared({ own, redeclared }: FieldTable, request: object): void {
  const values = new Map<string, unknown>(Object.entries(request));
  for (const { name, label, type } of own) {
    const one = redeclared.get(name);
    if (!one || type === 'integer' || type === 'choice' || takesFilesOf(type)) continue;
    const problem = furtherProblem({ ...one, name, label: l10n.t(label) }, values.get(name));
    if (problem !== undefined) throw new MediaError('invalidInput', problem, { field: name });
  }
}

function takesFilesOf(type: Field['type']): boolean {
  return type === 'image' || type === 'images' || type === 'audioFile';
}

/** Returns the values of further fields, with the files where they are. */
async function located(
  table: FieldTable,
  { declared, fields = {}, locate = (_, file) => file }: GivenFurther,
): Promise<Readonly<Record<string, unknown>>> {
  checkFurther(table, declared, fields);
  const found: Record<string, unknown> = { ...(fields as object) };
  for (const field of table.further) {
    const file = found[field.name];
    if (field.type === 'file' && file !== undefined) found[field.name] = await locate(field, file);
  }
  return found;
}

/**
 * Returns what a request sends beyond the specification.
 *
 * @param fields values that were checked by {@link checkFurther}, with URLs for files
 * @returns undefined for a request as the specification has it
 * @throws MediaError `invalidInput` that names the field
 */
export function furtherOf(table: FieldTable, fields: Readonly<Record<string, unknown>>): Further | undefined {
  const values: Record<string, FurtherValue> = {};
  const files: string[] = [];
  for (const field of table.further) {
    const value = fields[field.name] ?? field.default;
    if (value === undefined) continue;
    const problem = furtherProblem(field, value);
    if (problem !== undefined) throw new MediaError('invalidInput', problem, { field: field.name });
    values[field.name] = value as FurtherValue;
    if (field.type === 'file') files.push(field.name);
  }
  const redeclared = [...table.redeclared.keys()].sort();
  const { without, encoding, idempotencyKey } = table;
  const isPlain = Object.keys(values).length + without.length + redeclared.length === 0 && !encoding && !idempotencyKey;
  if (isPlain) return undefined;
  return {
    values,
    ...(files.length > 0 && { files }),
    ...(without.length > 0 && { without }),
    ...(redeclared.length > 0 && { redeclared }),
    ...(encoding && { encoding }),
    ...(idempotencyKey && { idempotencyKey }),
  };
}

/** Checks the names and values that are given as further fields; files only once they are located. */
export function checkFurther(table: FieldTable, declared: unknown, fields: unknown): void {
  if (!isObject(fields)) {
    throw new MediaError('invalidInput', l10n.t('{0} must be an object.', 'fields'), { field: 'fields' });
  }
  for (const [name, value] of Object.entries(fields)) {
    const field = table.further.find((one) => one.name === name);
    if (!field) throw new MediaError('invalidInput', unknownFurther(name, table, declared), { field: name });
    if (value === undefined || field.type === 'file') continue;
    const problem = furtherProblem(field, value);
    if (problem !== undefined) throw new MediaError('invalidInput', problem, { field: name });
  }
}

function unknownFurther(name: string, table: FieldTable, declared: unknown): string {
  const { id } = table;
  const title = l10n.t(operations[id].title);
  const { fields }: Operation = operations[id];
  if (fields.some((field) => field.name === name)) {
    return l10n.t('"{0}" is a field of {1} itself. Give it beside "fields", not in it.', name, title);
  }
  const other = fieldTable(id, declared).further.find((one) => one.name === name);
  if (other?.models) {
    return l10n.t('The model does not take the field "{0}", which is declared for {1}.', name, other.models.join(', '));
  }
  if (other) return l10n.t('The model does not take the field "{0}".', name);
  const known = table.further.map((one) => one.name).join(', ');
  return known === ''
    ? l10n.t('There is no field "{0}": no further fields are declared for {1} (setting "fields").', name, title)
    : l10n.t('There is no field "{0}": the further fields of {1} are {2}.', name, title, known);
}

/**
 * Checks a request that was built before, by itself: what it takes beyond the specification was checked then.
 *
 * @throws MediaError as {@link validateRequest}
 */
export function recheckRequest<Id extends OperationId>(id: Id, request: object): MediaRequest<Id> {
  const { further, ...own } = request as { readonly further?: Further };
  if (!further) return validateRequest(id, request);
  const { fields }: Operation = operations[id];
  const isKept = (name: string) => further.redeclared?.includes(name) ?? false;
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => isKept(name)));
  const others = Object.fromEntries(Object.entries(own).filter(([name]) => !isKept(name)));
  const checked: object = validateRequest(
    id,
    others,
    fields.filter(({ name }) => !isKept(name)),
  );
  const all = new Map<string, unknown>(Object.entries({ ...checked, ...kept }));
  return {
    ...Object.fromEntries(inOrder(fields).map(({ name }) => [name, all.get(name)])),
    further,
  } as MediaRequest<Id>;
}

/** Returns what a request sends, by the names on the wire: the operation's own fields, then the further ones. */
export function sentValues(request: MediaRequest): Readonly<Record<string, unknown>> {
  const { further, ...own } = request;
  if (!further) return own;
  const { without = [], values, encoding } = further;
  const isInPath = (name: string) => encoding?.path?.includes(`{${name}}`) ?? false;
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !without.includes(name) && !isInPath(name))),
    ...values,
  };
}
