/** Returns a text as one short line, without characters that break the line or change its direction. */
export function oneLine(text: string, maxLength = 80): string {
  const words = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...words];
  return letters.length > maxLength ? `${letters.slice(0, maxLength).join('')}…` : words;
}

/**
 * Returns a text in which notifications find no links. The text may come from the service, and a link may run a
 * command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
