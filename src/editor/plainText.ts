/**
 * Returns a text in which notifications find no links. The text may come from the service, and a link may run a
 * command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
