/** Text that Markdown shows as it is: only what would be markup is escaped, so that the file stays readable. */
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
      // Inside a word an underscore is none.
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
      // Headings, quotes, lists, definitions of links and footnotes.
      .replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|\[(?=.*\]:))/, '\\$&')
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
      // Rulers, underlines of headings and of tables.
      .replace(/^[-=|:](?=[-=|:\s]*$)/, '\\$&')
  );
}
