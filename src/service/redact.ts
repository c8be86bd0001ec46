/** Longer than any sentence; the patterns below must not run on megabytes. */
const longest = 4096;

/**
 * Takes out of a text what must never be logged or shown: the given secrets (keys; for logs also prompts),
 * query strings of URLs, base64 data, and what looks like a key. What goes beyond 4096 characters is left out.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = text;
  for (const secret of secrets) {
    if (secret !== '') result = result.replaceAll(secret, '[redacted]');
  }
  return result
    .slice(0, longest)
    .replace(/\b(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/gi, '$1?[redacted]')
    .replace(/\b(https?:\/\/)[^\s/@"'<>]+@/gi, '$1[redacted]@')
    .replace(/[A-Za-z0-9+/_=-]{200,}/g, '[data]')
    .replace(/\b(sk-|Bearer\s+)[\w.-]{8,}/gi, '$1[redacted]');
}
