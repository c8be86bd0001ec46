/**
 * Parses JSON; returns undefined if the text is not JSON. An integer that a number cannot represent exactly becomes a
 * string with all its digits, because it is an identifier.
 */
export function parseJson<T = unknown>(text: string): T | undefined {
  try {
    // A reviver is slower, and only long numbers need it.
    return JSON.parse(text, /\d{16}/.test(text) ? withAllDigits : undefined) as T;
  } catch {
    return undefined;
  }
}

function withAllDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return /^-?\d+$/.test(source) ? source : value;
}
