import { stringsIn } from '../foreign/addresses.ts';
import { isPlainLine } from '../foreign/plainText.ts';
import { isObject } from '../foreign/shape.ts';
import { MediaError } from '../operations/MediaError.ts';

/** The subset of JSON Schema that the tools use; `readInput` checks all of it. */
export type ValueSchema =
  | {
      readonly type: 'string';
      readonly description: string;
      readonly minLength?: number;
      readonly maxLength: number;
      readonly enum?: readonly string[];
      readonly default?: string;
    }
  | {
      readonly type: 'integer';
      readonly description: string;
      readonly minimum: number;
      readonly maximum?: number;
      readonly default?: number;
    }
  | { readonly type: 'boolean'; readonly description: string; readonly default?: boolean }
  /** Values by names that the schema does not know. */
  | { readonly type: 'object'; readonly description: string; readonly additionalProperties: true }
  | {
      readonly type: 'array';
      readonly description: string;
      readonly items: { readonly type: 'string'; readonly minLength: number; readonly maxLength: number };
      readonly minItems: number;
      readonly maxItems: number;
    };

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** What decides which inputs a tool takes. */
interface InputOf {
  readonly referenceName: string;
  readonly inputSchema: ObjectSchema;
  /** The inputs that a service gets as they are. All others name something, and could forge what a question says. */
  readonly texts: readonly string[];
}

/** Formats of transcripts, by the names that agents use. */
export const agentTranscriptFormats = { md: 'markdown', txt: 'text', srt: 'srt', vtt: 'vtt', json: 'json' } as const;

const maxPathLength = 1000;
/** Below 30 s, the shortest time after which hosts are known to end a call. */
const maxWaitSeconds = 25;

/** Inputs that several tools take. */
export const commonInputs = {
  wait_seconds: {
    type: 'integer',
    description: `How many seconds to wait for the result, 0 to ${maxWaitSeconds}, by default ${maxWaitSeconds}. After that the status is "running"; pass the job_id to media_get_job. In VS Code's chat, a paid call always waits for the end.`,
    minimum: 0,
    maximum: maxWaitSeconds,
    default: maxWaitSeconds,
  },
  include_preview: {
    type: 'boolean',
    description:
      'Whether to return small previews of images: true for the first 4, false for none. By default, only the first image has one.',
  },
} as const satisfies Readonly<Record<string, ValueSchema>>;

export function objectOf(properties: Readonly<Record<string, ValueSchema>>, required: readonly string[]): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function text(description: string, maxLength: number): ValueSchema {
  return { type: 'string', description, minLength: 1, maxLength };
}

/** A path in the workspace, or the id of an asset. */
export function path(description: string): ValueSchema {
  return text(description, maxPathLength);
}

/** Several paths, ids or addresses. */
export function paths(description: string, maxItems: number): ValueSchema {
  const items = { type: 'string', minLength: 1, maxLength: maxPathLength } as const;
  return { type: 'array', description, items, minItems: 1, maxItems };
}

/** A valid input of a tool, with its defaults filled in. */
export type ToolInput = Readonly<Record<string, InputValue>>;

type InputValue = string | number | boolean | readonly string[] | Readonly<Record<string, unknown>>;

/**
 * Validates an input against the tool's schema. VS Code does not, and users may edit what the model sent.
 *
 * @throws MediaError `invalidInput` that names the field and says what to do next
 */
export function readInput({ inputSchema: schema, referenceName, texts }: InputOf, input: unknown): ToolInput {
  if (!isObject(input)) {
    throw invalid('input', `${referenceName} takes a JSON object with the fields ${namesIn(schema)}.`);
  }
  const given: Readonly<Record<string, unknown>> = { ...input };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema.properties, name));
  if (unknown !== undefined) {
    throw invalid(
      unknown,
      `${referenceName} has no field "${cut(unknown)}". Remove it. The fields are ${namesIn(schema)}.`,
    );
  }
  const missing = schema.required.find((name) => given[name] === undefined || given[name] === null);
  if (missing !== undefined) {
    throw invalid(missing, `"${missing}" is missing. Call ${referenceName} again with it.`);
  }
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]) => {
      const value = given[name] ?? ('default' in property ? property.default : undefined);
      if (value === undefined) return [];
      return [[name, checked(name, property, value, texts)] as const];
    }),
  );
}

export function invalid(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field });
}

export function textIn(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' ? value : undefined;
}

export function valuesIn(input: ToolInput, name: string): Readonly<Record<string, unknown>> {
  const value = input[name];
  return isObject(value) ? { ...value } : {};
}

export function numberIn(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  return typeof value === 'number' ? value : undefined;
}

function checked(name: string, schema: ValueSchema, value: unknown, texts: readonly string[]): InputValue {
  const isText = texts.includes(name);
  switch (schema.type) {
    case 'string':
      return checkText(name, schema, value, isText);
    case 'integer': {
      const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum)
        return value;
      throw invalid(name, `"${name}" must be a whole number from ${minimum} to ${maximum}, not ${shown(value)}.`);
    }
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw invalid(name, `"${name}" must be true or false, not ${shown(value)}.`);
    case 'object':
      if (isObject(value)) return { ...value };
      throw invalid(name, `"${name}" must be an object, not ${shown(value)}.`);
    case 'array': {
      const { minItems, maxItems, items } = schema;
      if (!Array.isArray(value)) throw invalid(name, `"${name}" must be an array of strings, not ${shown(value)}.`);
      if (value.length < minItems || value.length > maxItems) {
        throw invalid(name, `"${name}" must hold ${minItems} to ${maxItems} strings, not ${value.length}.`);
      }
      return value.map((item: unknown) => checkText(name, items, item, isText));
    }
  }
}

/** How many characters all further fields of a call may have together. */
const maxFurtherCharacters = 100_000;

/** Checks the texts among further values, which are not in the schema. Their lines may break. @throws MediaError `invalidInput` */
export function checkFurtherTexts(fields: Readonly<Record<string, unknown>>): void {
  let characters = 0;
  for (const [name, value] of Object.entries(fields)) {
    for (const one of stringsIn(value)) {
      characters += one.length;
      const limits = { maxLength: maxFurtherCharacters };
      checkText(name, limits, one, true);
      for (const line of one.split(/\r?\n/)) checkText(name, limits, line, false);
    }
    if (characters > maxFurtherCharacters) {
      throw invalid(name, `"fields" has more than ${maxFurtherCharacters} characters. Shorten "${name}".`);
    }
  }
}

function checkText(
  name: string,
  limits: { readonly minLength?: number; readonly maxLength: number; readonly enum?: readonly string[] },
  value: unknown,
  mayHaveLines: boolean,
): string {
  if (typeof value !== 'string') throw invalid(name, `"${name}" must be a string, not ${shown(value)}.`);
  if (limits.enum && !limits.enum.includes(value)) {
    throw invalid(name, `"${name}" must be one of ${limits.enum.join(', ')}, not ${shown(value)}.`);
  }
  if ((limits.minLength ?? 0) > 0 && value.trim() === '') {
    throw invalid(name, `"${name}" must not be empty. Give it a value, or leave it out if it is optional.`);
  }
  if (!mayHaveLines && !isPlainLine(value)) {
    throw invalid(name, `"${name}" must be one line without control and format characters, not ${shown(value)}.`);
  }
  if (value.length <= limits.maxLength) return value;
  throw invalid(name, `"${name}" has ${value.length} characters, but the maximum is ${limits.maxLength}. Shorten it.`);
}

function namesIn({ properties }: ObjectSchema): string {
  return Object.keys(properties).join(', ') || '(none)';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function cut(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}
