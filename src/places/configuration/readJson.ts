import { withoutComments } from './readScript.ts';

/** A value of JSON, also of the dialect with comments and trailing commas; undefined for what is not there. */
export function readJson(source: string, ...path: readonly string[]): unknown {
  try {
    return valueAt(JSON.parse(withoutComments(source).replace(/,(?=\s{0,1000}[}\]])/g, '')), ...path);
  } catch {
    return undefined;
  }
}

/** A value in an object, or in one in that. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
