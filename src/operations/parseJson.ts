/**
 * Parses JSON; returns undefined if the text is not JSON. An integer that a number cannot represent exactly becomes a
 * string with all its digits, because it is an identifier.
 */
export function parseJson<T = unknown>(text: string): T | undefined {
  try {
    const value = JSON.parse(text) as T;
    return /\d{16}/.test(text) ? (JSON.parse(quoteLongIntegers(text)) as T) : value;
  } catch {
    return undefined;
  }
}

/**
 * Puts integers that a number cannot represent exactly in quotes. Node 20 gives a reviver no source text.
 *
 * @param text valid JSON
 */
function quoteLongIntegers(text: string): string {
  let isInString = false;
  // A pattern for a whole string would overflow the stack with a string of many megabytes.
  return text.replace(/\\.|"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || !/^-?\d/.test(token) || Number.isSafeInteger(Number(token))) return token;
    return `"${token}"`;
  });
}
