import { MediaError } from '../operations/MediaError.ts';
import type { ObjectSchema, ValueSchema } from './Schema.ts';
import type { AgentTool } from './tools.ts';

/** A valid input of a tool, with its defaults filled in. */
export type ToolInput = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Validates an input against the tool's schema. VS Code does not, and users may edit what the model sent.
 *
 * @throws MediaError `invalidInput` that names the field and says what to do next
 */
export function readInput(tool: Pick<AgentTool, 'referenceName' | 'inputSchema'>, input: unknown): ToolInput {
  const { inputSchema: schema, referenceName } = tool;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
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
      return [[name, checked(name, property, value)] as const];
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

export function numberIn(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  return typeof value === 'number' ? value : undefined;
}

function checked(name: string, schema: ValueSchema, value: unknown): string | number | boolean | readonly string[] {
  switch (schema.type) {
    case 'string':
      return checkText(name, schema, value);
    case 'integer': {
      const { minimum, maximum } = schema;
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum)
        return value;
      throw invalid(name, `"${name}" must be a whole number from ${minimum} to ${maximum}, not ${shown(value)}.`);
    }
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw invalid(name, `"${name}" must be true or false, not ${shown(value)}.`);
    case 'array': {
      const { minItems, maxItems, items } = schema;
      if (!Array.isArray(value)) throw invalid(name, `"${name}" must be an array of strings, not ${shown(value)}.`);
      if (value.length < minItems || value.length > maxItems) {
        throw invalid(name, `"${name}" must hold ${minItems} to ${maxItems} strings, not ${value.length}.`);
      }
      return value.map((item: unknown) => checkText(name, items, item));
    }
  }
}

interface TextLimits {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly enum?: readonly string[];
}

function checkText(name: string, limits: TextLimits, value: unknown): string {
  if (typeof value !== 'string') throw invalid(name, `"${name}" must be a string, not ${shown(value)}.`);
  if (limits.enum && !limits.enum.includes(value)) {
    throw invalid(name, `"${name}" must be one of ${limits.enum.join(', ')}, not ${shown(value)}.`);
  }
  if ((limits.minLength ?? 0) > 0 && value.trim() === '') {
    throw invalid(name, `"${name}" must not be empty. Give it a value, or leave it out if it is optional.`);
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
