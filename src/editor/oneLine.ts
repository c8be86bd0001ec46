/** Returns a text as one short line, without characters that break the line or change its direction. */
export function oneLine(text: string, most = 80): string {
  const words = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...words];
  return letters.length > most ? `${letters.slice(0, most).join('')}…` : words;
}
