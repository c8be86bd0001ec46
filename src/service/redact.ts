/** Longer than any sentence, so that the patterns below never run on megabytes. */
const maxLength = 4096;

/**
 * Removes from a text what must never be logged or shown: the given secrets (keys; for logs also prompts), query strings
 * and credentials in URLs, base64 data, and anything that looks like a key. Cuts the text at 4096 characters.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = text;
  for (const secret of secrets) {
    if (secret !== '') result = result.replaceAll(secret, '[redacted]');
  }
  return result
    .slice(0, maxLength)
    .replace(/\b(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/gi, '$1?[redacted]')
    .replace(/\b(https?:\/\/)[^\s/@"'<>]+@/gi, '$1[redacted]@')
    .replace(/[A-Za-z0-9+/_=-]{200,}/g, '[data]')
    .replace(/\b(sk-|Bearer\s+)[\w.-]{8,}/gi, '$1[redacted]');
}
