/** A text in which no notification finds a link: it may be the service's, and a link may run a command. */
export function plainText(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}
