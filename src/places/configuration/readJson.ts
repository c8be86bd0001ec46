import { withoutComments } from './readScript.ts';

/** Reads a value from JSON, which may have comments and trailing commas; returns undefined if it does not exist. */
export function readJson(source: string, ...path: readonly string[]): unknown {
  try {
    return valueAt(JSON.parse(withoutComments(source).replace(/,(?=\s{0,1000}[}\]])/g, '')), ...path);
  } catch {
    return undefined;
  }
}

/** Returns the value at a path in nested objects. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
