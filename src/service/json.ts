import type { Json, JsonObject } from './Answer.ts';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the first of the named members that is a non-empty text, or a number as text. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

export function numberOf(object: JsonObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return undefined;
}

/** Returns a member that is an object; an empty object when it is not. */
export function objectOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** Returns a member that is an object, or the first item of a list; an empty object when it is neither. */
export function firstOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  const first: Json | undefined = Array.isArray(value) ? (value as readonly Json[])[0] : value;
  return isObject(first) ? first : {};
}

/** Returns an answer and those of its parts that may describe it. */
export function partsOf(value: JsonObject): readonly JsonObject[] {
  return [value, ...['data', 'output', 'result', 'video'].map((name) => firstOf(value, name))];
}
