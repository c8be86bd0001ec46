import { dirname, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { addressesIn, stringsIn } from '../foreign/addresses.ts';
import { printableJson } from '../foreign/escape.ts';
import { isObject } from '../foreign/shape.ts';
import { defaultIn, type FieldTable, fieldTable, withAccepts } from '../operations/declarations.ts';
import { isOtherFormat, nameIn, spokenField } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import {
  extensionOf,
  type FieldValues,
  type OperationId,
  operationIds,
  operations,
  outputExtensions,
} from '../operations/operations.ts';
import { checkFurther } from '../operations/toRequest.ts';
import {
  captionEndings,
  captionFields,
  derivedFields,
  type EntryField,
  entryFields,
  readSize,
  usualMaximum,
} from './entryFields.ts';
import type { FoundDocuments } from './findDocuments.ts';
import {
  type Entry,
  type EntryPattern,
  keyOf,
  type Manifest,
  namePart,
  outputProblem,
  type Problem,
  pathProblem,
  patternProblem,
  type RequestEntry,
  sourcesOf,
  timesPathOf,
} from './Manifest.ts';

// jsonc-parser keeps the position of every value, so that problems can name their lines.

export interface ReadManifest {
  readonly manifest: Manifest;
  /** In the order of their lines. Entries with a problem are left out of the manifest. */
  readonly problems: readonly Problem[];
}

type Values = Readonly<Record<string, unknown>>;

/** A property of an object, with its nodes in the document. */
interface Property {
  readonly name: string;
  readonly node: Node;
  readonly value: Node;
}

/** The fields that a service and an entry take. */
interface TakenFields {
  /** Undefined if the declaration is not valid. */
  readonly table: FieldTable | undefined;
  readonly problem: string | undefined;
  readonly fields: readonly EntryField[];
}

/**
 * Reads a manifest.
 *
 * @param file absolute path
 * @param declared the setting `fields`, to which the manifest's `accepts` is added
 * @param documents those that patterns match; none if absent
 */
export function readManifest(
  text: string,
  file: string,
  declared?: unknown,
  documents: FoundDocuments = new Map(),
): ReadManifest {
  return new ManifestReader(text, file, declared, documents).read(file);
}

/** @throws MediaError `invalidInput` that lists all problems, each with its line */
export function withoutProblems({ manifest, problems }: ReadManifest, name: string): Manifest {
  const [first] = problems;
  if (!first) return manifest;
  throw new MediaError('invalidInput', problems.map((problem) => described(problem, name)).join('\n'), {
    field: first.field,
  });
}

/**
 * Returns the entries that are right and whose inputs are, and adds to the problems why each of the others is left out.
 *
 * @param only paths of the entries that must be right
 * @throws MediaError `invalidInput` for a problem of one of these, or outside of the entries, which concerns them all
 */
export function soundPart({ manifest, problems }: ReadManifest, name: string, only: readonly string[]): ReadManifest {
  withoutProblems({ manifest, problems: problems.filter(({ path }) => path === undefined) }, name);
  const users = new Map<string, Entry[]>();
  for (const entry of manifest.entries) {
    for (const source of sourcesOf(entry)) {
      const same = users.get(keyOf(source));
      if (same) same.push(entry);
      else users.set(keyOf(source), [entry]);
    }
  }
  const left = new Map(problems.flatMap(({ path }) => (path === undefined ? [] : [[keyOf(path), path] as const])));
  const reasons: Problem[] = [];
  for (const { path, line } of manifest.entries) {
    if (left.has(keyOf(path))) reasons.push({ path, line, sentence: l10n.t('Another entry has the same path.') });
  }
  // The map is read on while it grows, which reaches the entries made from those that are left out.
  for (const [key, input] of left) {
    for (const { path, line } of users.get(key) ?? []) {
      if (left.has(keyOf(path))) continue;
      left.set(keyOf(path), path);
      reasons.push({ path, line, sentence: l10n.t('Its input {0} has an error.', input) });
    }
  }
  const all = [...problems, ...reasons].sort((a, b) => a.line - b.line);
  const keys = new Set(only.map(keyOf));
  const wanted = all.filter(({ path }) => path !== undefined && keys.has(keyOf(path)));
  withoutProblems({ manifest, problems: wanted }, name);
  const entries = manifest.entries.filter(({ path }) => !left.has(keyOf(path)));
  return { manifest: { ...manifest, entries }, problems: all };
}

/** Formats a problem as a line of text: `media.jsonc:7: static/a.png: …` */
export function described({ line, path, sentence }: Problem, name: string): string {
  return [`${name}:${line}`, path, sentence].filter((part) => part !== undefined).join(': ');
}

class ManifestReader {
  readonly #text: string;
  readonly #starts: readonly number[];
  readonly #problems: Problem[] = [];
  readonly #folder: string;
  /** The declarations of further fields. */
  #declared: unknown;
  /** What a service takes, and what is wrong with its declaration, by operation and model. Most entries share them. */
  readonly #tables = new Map<string, TakenFields>();
  /** The paths of all entries, by their keys. */
  #paths: ReadonlyMap<string, string> = new Map();
  /** The transcripts that a request makes, and another entry captions of, by the keys of the paths of their times. */
  #transcripts: ReadonlyMap<string, string> = new Map();

  readonly #documents: FoundDocuments;
  readonly #patterns: EntryPattern[] = [];

  constructor(text: string, file: string, declared: unknown, documents: FoundDocuments) {
    this.#text = text;
    this.#documents = documents;
    this.#folder = dirname(file);
    this.#declared = declared;
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  read(file: string): ReadManifest {
    const errors: ParseError[] = [];
    const root = parseTree(this.#text, errors, { allowTrailingComma: true });
    const marks = errors.length > 0 ? /^(?:<{7}|>{7})(?: .*)?\r?$/m.exec(this.#text) : null;
    if (marks) {
      const sentence = l10n.t(
        'There is an unresolved merge conflict. Keep what you want of both sides, and remove the marks.',
      );
      this.#problems.push({ line: this.#lineAt(marks.index), sentence });
    }
    for (const { error, offset } of marks ? [] : errors) {
      const sentence = l10n.t('This is not valid JSON with comments ({0}).', printParseErrorCode(error));
      this.#problems.push({ line: this.#lineAt(offset), sentence });
    }
    const entries = errors.length > 0 ? [] : this.#entriesOf(root);
    const problems = this.#problems.sort((a, b) => a.line - b.line);
    return { manifest: { file, folder: dirname(file), entries, patterns: this.#patterns }, problems };
  }

  #entriesOf(root: Node | undefined): readonly Entry[] {
    if (root?.type !== 'object') {
      this.#problems.push({ line: 1, sentence: l10n.t('A manifest must be an object with the field "assets".') });
      return [];
    }
    const fields = this.#propertiesOf(root);
    this.#checkRepeats(fields);
    const properties = new Map(fields.map((property) => [property.name, property]));
    for (const { name, node } of properties.values()) {
      if (['$schema', 'accepts', 'defaults', 'style', 'assets'].includes(name)) continue;
      const sentence = l10n.t(
        'There is no field "{0}". A manifest has the fields accepts, defaults, style and assets.',
        name,
      );
      this.#addProblem(node, sentence, { field: name });
    }
    this.#readAccepts(properties.get('accepts'));
    const style = this.#styleOf(properties.get('style'));
    const defaults = this.#defaultsOf(properties.get('defaults'));
    const assets = properties.get('assets');
    if (!assets)
      this.#addProblem(root, l10n.t('A manifest must be an object with the field "assets".'), { field: 'assets' });
    const seen = new Map<string, number>();
    const written = this.#propertiesOf(assets?.value, 'assets');
    const own = new Set(written.map(({ name }) => keyOf(name)));
    const all = written.flatMap((property) => {
      const document = documentOf(property);
      if (document === undefined) return [property];
      return this.#eachDocument(property, document, own, (one) => this.#entryOf(one, 0, style, defaults));
    });
    this.#paths = new Map(all.map(({ name }) => [keyOf(name), name]));
    const captioned = new Set(all.map(({ value }) => keyOf(textOf(textsOf(getNodeValue(value)).captions) ?? '')));
    this.#transcripts = new Map(
      all.flatMap(({ name, value }) => {
        const isMeant = extensionOf(name) !== 'vtt' && captioned.has(keyOf(name)) && isTranscribed(value);
        return isMeant ? [[keyOf(timesPathOf(name)), name] as const] : [];
      }),
    );
    const parents = parentsOf(this.#paths.keys());
    return all.flatMap((property) => {
      const { name: path, node } = property;
      const line = this.#lineAt(node.offset);
      const earlier = seen.get(keyOf(path));
      seen.set(keyOf(path), line);
      if (earlier !== undefined) {
        const sentence = l10n.t('Line {0} already has this path. Paths are compared case-insensitively.', earlier);
        this.#addProblem(node, sentence, { path });
        return [];
      }
      const before = this.#problems.length;
      const parent = this.#paths.get(parents.get(keyOf(path)) ?? '');
      if (parent !== undefined) {
        const sentence = l10n.t(
          '{0} is a file that another entry makes, so it cannot be a folder as well. Use another path.',
          parent,
        );
        this.#addProblem(node, sentence, { path });
      }
      const entry = this.#entryOf(property, line, style, defaults);
      return this.#problems.length > before || !entry ? [] : [entry];
    });
  }

  /**
   * Returns an entry for each document that a pattern matches, except where the manifest has one with that path.
   *
   * @param own keys of the paths that the manifest has
   * @param check reports what is wrong in an entry
   */
  #eachDocument(
    property: Property,
    document: string,
    own: ReadonlySet<string>,
    check: (entry: Property) => void,
  ): readonly Property[] {
    const { name: path, node } = property;
    const wrong = patternProblem(path, document);
    if (wrong) {
      this.#addProblem(node, wrong.sentence, { path, field: wrong.field });
      return [];
    }
    // What is wrong in it is told once, and where no document matches, too.
    const before = this.#problems.length;
    check(entryFor(property, document.replace('*', 'name')));
    const problems = this.#problems.splice(before).map((problem) => ({ ...problem, path }));
    this.#problems.push(...problems);
    if (problems.length > 0) return [];
    const found = this.#documents.get(document) ?? [];
    const entries = found.map((one) => entryFor(property, one)).filter(({ name }) => !own.has(keyOf(name)));
    this.#patterns.push({ line: this.#lineAt(node.offset), document, paths: entries.map(({ name }) => name) });
    return entries;
  }

  /** Adds the declarations of the manifest to those of the settings, and reports what is wrong with them. */
  #readAccepts(property: Property | undefined): void {
    if (!property) return;
    this.#checkRepeatsIn(property.value);
    const accepts: unknown = getNodeValue(property.value);
    const problem =
      operationIds.map((id) => declarationProblem(id, accepts)).find((one) => one !== undefined) ??
      foreignProblem(accepts);
    if (problem === undefined) this.#declared = withAccepts(this.#declared, accepts);
    else this.#addProblem(property.node, `accepts: ${problem}`, { field: 'accepts' });
  }

  #styleOf(property: Property | undefined): string | undefined {
    if (!property) return undefined;
    const value: unknown = getNodeValue(property.value);
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    this.#addProblem(property.node, l10n.t('{0} must be a string.', 'style'), { field: 'style' });
    return undefined;
  }

  #defaultsOf(property: Property | undefined): ReadonlyMap<OperationId, Values> {
    const defaults = new Map<OperationId, Values>();
    const properties = this.#propertiesOf(property?.value, 'defaults');
    this.#checkRepeats(properties);
    for (const { name, node, value } of properties) {
      const id = operationIds.find((known) => known === name);
      if (!id) {
        this.#addProblem(node, this.#noOperation(name), { field: name });
        continue;
      }
      const own = this.#fieldsOf(id, node).fields.filter(({ hasDefault }) => hasDefault);
      const values = this.#valuesOf(value, own, l10n.t('defaults of {0}', id), {});
      defaults.set(id, values);
    }
    return defaults;
  }

  #entryOf(
    property: Property,
    line: number,
    style: string | undefined,
    defaults: ReadonlyMap<OperationId, Values>,
  ): Entry | undefined {
    const { name: path, node, value } = property;
    const problem = outputProblem(path);
    if (problem !== undefined) this.#addProblem(node, problem, { path });
    const names = this.#propertiesOf(value, path);
    const operation = names.find(({ name }) => name === 'operation');
    return operation
      ? this.#requestOf(property, operation, line, style, defaults)
      : this.#derivedOf(
          property,
          names.map(({ name }) => name),
          line,
        );
  }

  /** Reads an entry that is made here from another one. */
  #derivedOf({ name: path, node, value }: Property, names: readonly string[], line: number): Entry | undefined {
    if (names.includes('captions')) {
      const { captions } = this.#valuesOf(value, captionFields, l10n.t('an entry with "captions"'), { path });
      this.#checkEnding(node, path, captionEndings);
      const from = String(captions);
      const isOwn = keyOf(path) === keyOf(timesPathOf(from));
      this.#checkTimes(node, path, 'captions', isOwn ? from : undefined);
      return { type: 'derived', path, line, from, captions: true };
    }
    if (!names.includes('from')) {
      const fitting = operationIds.filter((id) => outputExtensions[operations[id].result].includes(extensionOf(path)));
      const sentence =
        fitting.length === 0
          ? l10n.t('An entry needs the field "operation" or the field "from".')
          : l10n.t('The field "operation" is missing. For this path it is one of: {0}.', fitting.join(', '));
      this.#addProblem(node, sentence, { path, field: 'operation' });
      return undefined;
    }
    const values = this.#valuesOf(value, derivedFields, l10n.t('an entry with "from"'), { path });
    this.#checkExtension(node, path, 'images');
    return { type: 'derived', path, line, ...values } as unknown as Entry;
  }

  /** Reads an entry that is made by a request. */
  #requestOf(
    property: Property,
    operation: Property,
    line: number,
    style: string | undefined,
    defaults: ReadonlyMap<OperationId, Values>,
  ): Entry | undefined {
    const { name: path, node, value } = property;
    const named: unknown = getNodeValue(operation.value);
    const id = operationIds.find((known) => known === named);
    if (!id) {
      this.#addProblem(operation.node, this.#noOperation(named), { path, field: 'operation' });
      return undefined;
    }
    const { table, fields } = this.#fieldsOf(id, node, modelIn(value) ?? textOf(defaults.get(id)?.model), path);
    const values = this.#valuesOf(value, fields, id, { path, skips: 'operation' });
    this.#checkExtension(node, path, operations[id].result);
    this.#checkTimes(node, path, 'operation');
    const spoken = spokenField(operations[id].fields);
    if (spoken && (values[nameIn('manifest', spoken)] === undefined) === (values.document === undefined)) {
      this.#addProblem(node, l10n.t('The entry needs either "input" or "document", but not both.'), {
        path,
        field: 'input',
      });
    }
    const isStyled = fields.some(({ name }) => name === 'prompt');
    this.#checkFormats(property, id, values);
    // The values have been checked against their fields.
    const { model, document, size, quality, ...all } = { ...defaults.get(id), ...values } as Values &
      Pick<RequestEntry, 'model' | 'document' | 'size' | 'quality'>;
    const further =
      table && this.#furtherOf(node, path, table, { ...textsOf(defaults.get(id)?.fields), ...textsOf(values.fields) });
    const given = operations[id].fields.flatMap((field) => {
      const found = all[nameIn('manifest', field)];
      // The path wins over the defaults, which are for files of every format.
      return found === undefined || isOtherFormat(field, found, path) ? [] : [[field.name, found] as const];
    });
    return {
      type: 'request',
      path,
      line,
      operation: id,
      model,
      style: isStyled && values.style !== false ? style : undefined,
      document,
      size,
      quality,
      further,
      values: Object.fromEntries(given) as FieldValues,
    };
  }

  /** Reports an entry in the place of the times of a transcript. */
  #checkTimes(node: Node, path: string, field: string, transcript = this.#transcripts.get(keyOf(path))): void {
    if (transcript === undefined) return;
    const sentence = l10n.t(
      '{0} holds the times of {1}, which captions are made with. Use another path.',
      timesPathOf(transcript),
      transcript,
    );
    this.#addProblem(node, sentence, { path, field });
  }

  /** Reports each value that asks for another format than that of the path. */
  #checkFormats({ name: path, value }: Property, id: OperationId, values: Values): void {
    const properties = this.#propertiesOf(value, path);
    for (const field of operations[id].fields) {
      const name = nameIn('manifest', field);
      const own = properties.find((one) => one.name === name);
      if (!own || !isOtherFormat(field, values[name], path)) continue;
      const sentence = l10n.t(
        '{0} is {1}, but the path ends in .{2}. Remove the field, or change the path.',
        name,
        String(values[name]),
        extensionOf(path),
      );
      this.#addProblem(own.node, sentence, { path, field: name });
    }
  }

  /** Returns the fields that a service and an entry take; no table, with a problem, if a declaration is not valid. */
  #fieldsOf(id: OperationId, node: Node, model?: string, path?: string): TakenFields {
    const key = JSON.stringify([id, model]);
    const taken = this.#tables.get(key) ?? takenFields(id, this.#declared, model);
    this.#tables.set(key, taken);
    if (taken.problem !== undefined) this.#addProblem(node, taken.problem, { path, field: 'fields' });
    return taken;
  }

  /** Checks the further fields of an entry; undefined if it has none and none are declared. */
  #furtherOf(node: Node, path: string, table: FieldTable, fields: Values): RequestEntry['further'] {
    const declared = this.#declared;
    if (declared === undefined && Object.keys(fields).length === 0) return undefined;
    const files = table.further.flatMap(({ type, name }) =>
      type === 'file' && fields[name] !== undefined ? [name] : [],
    );
    try {
      checkFurther(table, declared, fields);
      for (const [name, value] of Object.entries(fields)) {
        const problem = files.includes(name) ? undefined : addressProblem(value);
        if (problem !== undefined) this.#addProblem(node, `${name}: ${problem}`, { path, field: name });
      }
      for (const name of files) {
        const file = fields[name];
        const problem = typeof file === 'string' ? pathProblem(file) : l10n.t('{0} must be a path.', name);
        if (problem !== undefined) this.#addProblem(node, `${name}: ${problem}`, { path, field: name });
      }
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      this.#addProblem(node, error.message, { path, field: error.field });
    }
    const spelled = Object.fromEntries(files.map((name) => [name, this.#spelled(fields[name])]));
    return { declared, fields: { ...fields, ...spelled }, files, folder: this.#folder };
  }

  #noOperation(name: unknown): string {
    return l10n.t('There is no operation {0}. The operations are: {1}.', JSON.stringify(name), operationIds.join(', '));
  }

  #checkExtension(node: Node, path: string, kind: keyof typeof outputExtensions): void {
    this.#checkEnding(node, path, outputExtensions[kind]);
  }

  #checkEnding(node: Node, path: string, extensions: readonly string[]): void {
    if (extensions.includes(extensionOf(path))) return;
    this.#addProblem(node, l10n.t('The path must end in one of: {0}.', extensions.map((one) => `.${one}`).join(', ')), {
      path,
    });
  }

  /** Reads the values of an object, and reports unknown, invalid and missing fields. */
  #valuesOf(
    object: Node,
    fields: readonly EntryField[],
    title: string,
    { path, skips }: { readonly path?: string; readonly skips?: string },
  ): Values {
    const values: Record<string, unknown> = {};
    const properties = this.#propertiesOf(object, path);
    this.#checkRepeats(properties, path);
    for (const { name, node, value } of properties) {
      if (name === skips) continue;
      this.#checkRepeatsIn(value, path);
      const field = fields.find((one) => one.name === name);
      const found: unknown = getNodeValue(value);
      const sentence = field
        ? valueProblem(field, found)
        : fields.length === 1
          ? l10n.t('There is no field "{0}": {1} has no other fields.', name, title)
          : l10n.t('There is no field "{0}": {1} takes {2}.', name, title, fields.map((one) => one.name).join(', '));
      if (sentence !== undefined) this.#addProblem(node, sentence, { path, field: name });
      else if (field && !field.isWords && field.type !== 'fields' && addressProblem(found) !== undefined)
        this.#addProblem(node, inField(name, addressProblem(found)) ?? '', { path, field: name });
      else if (field?.type === 'size') values[name] = readSize(found);
      else values[name] = field?.type === 'path' || field?.type === 'paths' ? this.#spelled(found) : found;
    }
    const missing = path === undefined ? undefined : fields.find((one) => one.isRequired && !(one.name in values));
    const isThere = missing && properties.some(({ name }) => name === missing.name);
    if (missing && !isThere)
      this.#addProblem(object, l10n.t('{0} is missing.', missing.name), { path, field: missing.name });
    return values;
  }

  /** Returns paths as the entries with them are spelled, by which their files are found where case matters. */
  #spelled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one: unknown) => this.#spelled(one));
    return typeof value === 'string' ? (this.#paths.get(keyOf(value)) ?? value) : value;
  }

  /** Reports each field of an object that stands there a second time. */
  #checkRepeats(properties: readonly Property[], path?: string): void {
    const lines = new Map<string, number>();
    for (const { name, node } of properties) {
      const earlier = lines.get(name);
      lines.set(name, this.#lineAt(node.offset));
      if (earlier === undefined) continue;
      this.#addProblem(node, l10n.t('Line {0} already has the field "{1}".', earlier, name), { path, field: name });
    }
  }

  /** As {@link #checkRepeats}, for an object and all objects in it; other values have no fields. */
  #checkRepeatsIn(value: Node, path?: string): void {
    if (value.type !== 'object') return;
    const properties = this.#propertiesOf(value);
    this.#checkRepeats(properties, path);
    for (const property of properties) this.#checkRepeatsIn(property.value, path);
  }

  /** Returns the properties of an object, and reports any other node. Returns none if there is no node. */
  #propertiesOf(node: Node | undefined, name?: string): readonly Property[] {
    if (!node) return [];
    if (node.type !== 'object') {
      if (!this.#problems.some(({ line, path }) => line === this.#lineAt(node.offset) && path === name)) {
        this.#addProblem(node, l10n.t('{0} must be an object.', name ?? ''), { path: name });
      }
      return [];
    }
    return (node.children ?? []).flatMap((property) => {
      const [key, value] = property.children ?? [];
      return key && value ? [{ name: String(key.value), node: property, value }] : [];
    });
  }

  #addProblem(node: Node, sentence: string, facts: Pick<Problem, 'path' | 'field'>): void {
    this.#problems.push({ line: this.#lineAt(node.offset), sentence, ...facts });
  }

  /** Returns the line of an offset, starting at 1. */
  #lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Returns the keys of the paths that are below another one, with the key of that one. */
function parentsOf(keys: Iterable<string>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  let parent: string | undefined;
  // In this order, everything below a path follows it.
  for (const folder of Array.from(keys, (key) => `${key}/`).sort()) {
    if (parent !== undefined && folder.startsWith(parent)) parents.set(folder.slice(0, -1), parent.slice(0, -1));
    else parent = folder;
  }
  return parents;
}

/** Returns what is wrong with a value; undefined if it is valid. */
function valueProblem(field: EntryField, value: unknown): string | undefined {
  const { name, type, options = [], isOpen, minimum = 0, maximum = usualMaximum } = field;
  const isText = typeof value === 'string' && value.trim() !== '';
  switch (type) {
    case 'text':
      return isText ? undefined : l10n.t('{0} must be a non-empty string.', name);
    case 'choice':
      if (isText && (isOpen || options.includes(value))) return undefined;
      return l10n.t('{0} must be one of {1}.', name, options.join(', '));
    case 'integer':
      if (isWhole(value, minimum, maximum)) return undefined;
      return l10n.t('{0} must be a whole number from {1} to {2}.', name, minimum, maximum);
    case 'size':
      if (readSize(value)) return undefined;
      return l10n.t('{0} must be [width, height] in pixels, such as [800, 450] or "800x450".', name);
    case 'style':
      return value === false ? undefined : l10n.t('{0} must be false, which leaves out that of the manifest.', name);
    case 'fields':
      return isObject(value) ? undefined : l10n.t('{0} must be an object.', name);
    case 'path':
      return isText ? inField(name, pathProblem(value)) : l10n.t('{0} must be a path.', name);
    case 'paths': {
      if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'string')) {
        return l10n.t('{0} must be a list of at least one path.', name);
      }
      return inField(
        name,
        value.map(pathProblem).find((problem) => problem !== undefined),
      );
    }
  }
}

/** Returns the document of an entry that stands for several; undefined for any other entry. */
function documentOf({ name, value }: Property): string | undefined {
  const document = textOf(textsOf(getNodeValue(value)).document);
  return document?.includes('*') || name.includes(namePart) ? document : undefined;
}

/** Returns the entry of one document of a pattern. */
function entryFor({ name, node, value }: Property, document: string): Property {
  const children = value.children?.map((property) => {
    const [key, given] = property.children ?? [];
    if (key?.value !== 'document' || !given) return property;
    return { ...property, children: [key, { ...given, value: document }] };
  });
  // Not as a pattern of replacements: a name may hold a `$`.
  return { name: name.replace(namePart, () => posix.parse(document).name), node, value: { ...value, children } };
}

function takenFields(id: OperationId, declared: unknown, model: string | undefined): TakenFields {
  const problem = declarationProblem(id, declared);
  const table = problem === undefined ? fieldTable(id, declared, model) : undefined;
  return { table, problem, fields: entryFields(id, table?.own) };
}

/** Returns what is wrong with a declaration that concerns an operation; undefined if it is valid. */
function declarationProblem(id: OperationId, declared: unknown): string | undefined {
  try {
    fieldTable(id, declared);
    return undefined;
  } catch (error) {
    if (error instanceof MediaError) return error.message;
    throw error;
  }
}

/** Returns what is wrong with valid declarations because they come with a folder; undefined if nothing is. */
function foreignProblem(accepts: unknown): string | undefined {
  // It would go into each request, and no entry would name it.
  const named = defaultIn(accepts);
  if (named === undefined) return addressProblem(accepts);
  return l10n.t('{0} must have no default. Give its value in "defaults" or in the entries.', named);
}

/** Returns what is wrong with a value in which a web address is; undefined if there is none. */
function addressProblem(value: unknown): string | undefined {
  const [address] = stringsIn(value).flatMap(addressesIn);
  if (address === undefined) return undefined;
  const shown = printableJson(address.length > 80 ? `${address.slice(0, 80)}…` : address);
  return l10n.t('The web address {0} is not sent: only prompts and texts may hold addresses.', shown);
}

/** Whether the value of an entry has the request of a transcript. */
function isTranscribed(value: Node): boolean {
  const { operation }: Values = textsOf(getNodeValue(value));
  return operationIds.some((id) => id === operation && operations[id].result === 'transcripts');
}

function modelIn(value: Node): string | undefined {
  const found: unknown = getNodeValue(value);
  return textOf(textsOf(found).model);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): Values {
  return isObject(value) ? { ...value } : {};
}

/** Returns the sentence of a problem with the name of its field. */
export function inField<Sentence extends string | undefined>(name: string, problem: Sentence): string | Sentence {
  return problem === undefined ? problem : `${name}: ${problem}`;
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}
