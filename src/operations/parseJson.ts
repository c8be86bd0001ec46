/**
 * The JSON value of a text, or undefined when it is not JSON. An integer beyond what a number can hold becomes a string
 * with all of its digits: it is an identifier.
 */
export function parseJson<T = unknown>(text: string): T | undefined {
  try {
    // To look at each value takes longer, and only long numbers need it.
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
