/** Escapes text for Markdown. Escapes only what would be markup, so that the file stays readable. */
export function escapeMarkdown(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeStart(escapeInside(line.trim())))
    .join('\n');
}

function escapeInside(line: string): string {
  return (
    line
      .replace(/[\\`*]/g, '\\$&')
      // An underscore inside a word is not markup.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/~(?=~)|(?<=~)~/g, '\\~')
      .replace(/<(?=[a-z/!?])/gi, '\\<')
      .replace(/&(?=#?\w+;)/g, '\\&')
      .replace(/\](?=\()/g, '\\]')
  );
}

function escapeStart(line: string): string {
  return (
    line
      // Headings, quotes, lists, link and footnote definitions.
      .replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|\[(?=.*\]:))/, '\\$&')
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
      // Thematic breaks, heading underlines and table delimiters.
      .replace(/^[-=|:](?=[-=|:\s]*$)/, '\\$&')
  );
}
