import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { AgreedFile } from '../files/AgreedFile.ts';
import { addressesIn, stringsIn } from '../foreign/addresses.ts';
import { type PlainText, plainLine, plainText } from '../foreign/plainText.ts';
import type { Further } from '../operations/Further.ts';
import { filesIn } from '../operations/fields.ts';
import {
  defaultOf,
  type Field,
  type MediaRequest,
  type Operation,
  type OperationId,
  operations,
} from '../operations/operations.ts';
import type { Usage } from './LibraryRecord.ts';
import { usageOf } from './recordFacts.ts';

/** One thing that a person sees before agreeing to a request. */
export interface Fact {
  readonly name: string;
  /** One line without control and format characters. */
  readonly value: string;
  /** The whole text, if the value is only its start. */
  readonly whole?: PlainText;
}

/** The facts of one request. */
export interface FactsSection {
  /** Missing where the question is about a single request. */
  readonly title?: string;
  readonly facts: readonly Fact[];
}

/** A file that is sent. The size and the hash are missing while the file is not made yet. */
export type AskedFile = Pick<AgreedFile, 'path'> & Partial<AgreedFile>;

export interface AskedRequest {
  readonly operation: OperationId;
  readonly request: MediaRequest;
  /** What is known of the files that the request names. */
  readonly files: readonly AskedFile[];
}

/** Number of characters of a text that a question shows. */
const maxShown = 300;

/** Returns everything that is sent, in the order of the operation's fields, for a question about it. */
export function requestFacts({ operation, request, files }: AskedRequest): readonly Fact[] {
  const values = new Map<string, unknown>(Object.entries(request));
  const { fields }: Operation = operations[operation];
  const { without = [], redeclared = [] } = request.further ?? {};
  const own = fields
    .filter(({ name }) => !without.includes(name))
    .map((field) =>
      redeclared.includes(field.name) && field.type === 'choice' ? { ...field, isTransfer: undefined } : field,
    );
  return [
    // A request that was kept before a field existed is sent with its default.
    ...own.flatMap((field) => factsOf(field, values.get(field.name) ?? defaultOf(field), files)),
    ...furtherFacts(request.further, files),
  ];
}

/** Returns what is sent beside the operation's own fields, by its names on the wire. */
function furtherFacts(further: Further | undefined, asked: readonly AskedFile[]): readonly Fact[] {
  const { values = {}, files = [] } = further ?? {};
  return Object.entries(values).flatMap(([name, value]) => {
    if (files.includes(name)) return [{ name, value: describeInput(String(value), asked) }];
    const fact = textFact(name, Array.isArray(value) ? value.join(', ') : String(value));
    // An address is shown in full, also where its text is not.
    const addresses = fact.whole === undefined ? [] : stringsIn(value).flatMap(addressesIn);
    return [fact, ...addresses.map((address) => ({ name, value: plainLine(address) }))];
  });
}

/** Takes the facts that all sections have out of them, so that a question says them once. */
export function shareFacts(
  sections: readonly FactsSection[],
): readonly [shared: readonly FactsSection[], own: readonly FactsSection[]] {
  const [first, ...others] = sections;
  if (!first || others.length === 0) return [[], sections];
  const isIn = (fact: Fact, { facts }: FactsSection) =>
    facts.some(({ name, value, whole }) => name === fact.name && value === fact.value && whole === fact.whole);
  const shared = first.facts.filter((fact) => others.every((section) => isIn(fact, section)));
  const own = sections.map((section) => ({
    ...section,
    facts: section.facts.filter((fact) => !isIn(fact, { facts: shared })),
  }));
  return [shared.length > 0 ? [{ facts: shared }] : [], own];
}

/** A new type of field does not compile until it is shown here. */
function factsOf(field: Field, value: unknown, files: readonly AskedFile[]): readonly Fact[] {
  const name = l10n.t(field.label);
  const line = plainLine(String(value));
  switch (field.type) {
    case 'model':
      return [{ name, value: inQuotes(line) }];
    case 'text':
      return [textFact(name, String(value))];
    case 'choice':
      return field.isTransfer ? [] : [{ name, value: line }];
    case 'integer':
    case 'video':
      return [{ name, value: line }];
    case 'image':
    case 'images':
    case 'audioFile':
      return filesIn(field, value).map((input) => ({ name: l10n.t('Sends'), value: describeInput(input, files) }));
  }
}

/** Puts a name in quotes that it cannot close. */
export function inQuotes(name: string): string {
  return l10n.t('“{0}”', plainLine(name).replace(/[“”„‟]/g, '"'));
}

function textFact(name: string, text: string): Fact {
  const line = plainLine(text);
  const characters = [...line];
  const hidden = [...text.replaceAll('\r\n', '\n')].length - [...plainText(text)].length;
  const shown = characters.slice(0, maxShown).join('');
  const more = Math.max(0, characters.length - maxShown);
  const value = [
    more > 0 ? l10n.t('{0}… and {1} more characters', shown, more.toLocaleString()) : shown,
    ...(hidden > 0 ? [l10n.t('(with {0} invisible characters)', hidden.toLocaleString())] : []),
  ].join(' ');
  return { name, value, ...(more > 0 ? { whole: plainText(text) } : {}) };
}

/** Describes the URL of an image, or the path of a recording, in full. */
function describeInput(input: string, files: readonly AskedFile[]): string {
  if (/^data:/i.test(input)) return l10n.t('an image of {0} bytes', bytesOf(input).toLocaleString());
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(input) && !/^file:/i.test(input)) {
    return l10n.t('{0} (the service fetches it from {1})', plainLine(input), URL.parse(input)?.host ?? '?');
  }
  const path = /^file:/i.test(input) ? fileURLToPath(input) : input;
  const { bytes, sha256 } = files.find((one) => one.path === path) ?? {};
  if (bytes === undefined || sha256 === undefined) return plainLine(path);
  return l10n.t('{0} ({1} bytes, SHA-256 {2})', plainLine(path), bytes.toLocaleString(), sha256);
}

function bytesOf(dataUrl: string): number {
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64').length;
}

/** Maximum number of figures; the library shows all. */
const maxNumbers = 4;

/**
 * Describes the cost and usage that a service reported, such as `cost 0.004, total tokens 120`. Durations are not
 * included.
 */
export function describeUsage(reported: unknown): string {
  const { cost, usage } = usageOf(reported) ?? {};
  const all = { ...(cost === undefined ? {} : { cost }), ...(typeof usage === 'object' ? usage : {}) };
  return numbersOf(all).slice(0, maxNumbers).join(', ');
}

function numbersOf(usage: Usage): readonly string[] {
  return Object.entries(usage).flatMap(([name, value]) => {
    if (typeof value === 'object') return numbersOf(value);
    if (typeof value !== 'number') return [];
    return [name === 'cost' ? l10n.t('cost {0}', value) : `${name.replaceAll('_', ' ')} ${value}`];
  });
}
