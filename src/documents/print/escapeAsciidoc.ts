/**
 * Characters that are markup nearly everywhere, but not an underscore inside a word. Without brackets and braces there
 * is no macro and no attribute.
 */
const markup = /[[\]{}*`#^~+\\|<>=@]|_(?!(?<=[a-z\d]_)[a-z\d])/;
/**
 * Character references, `((`, `(C)`, `--`, `...`, `$$`, `::` and the beginning of a URL. A semicolon makes a list marker
 * with the one at the end of a character reference.
 */
const sequences =
  /&(?=#?\w+;)|\((?=\(|(?:C|R|TM)\))|-(?=-)|(?<=-)-|\.(?=\.)|(?<=\.)\.|\$(?=\$)|(?<=[^a-z\d\s]);|:(?=:|\/\/)/;
/** Beginnings of lines: lists, titles, attributes, comments, rules and admonitions. */
const beginnings =
  /(?<=^[ \t]*)[-.:/'•]|(?<=^[ \t]*(?:\d+|[a-z]))\.|(?<=^[ \t]*[ivx]+)\)|(?<=^[ \t]*(?:NOTE|TIP|IMPORTANT|CAUTION|WARNING)):/;
const special = new RegExp([markup, sequences, beginnings].map(({ source }) => source).join('|'), 'gim');

/**
 * Escapes text so that AsciiDoc shows it as it is and runs nothing. Apostrophes may become typographic.
 *
 * A backslash is shown when there is nothing to escape, and `pass:[]` does not work in attributes, so this writes
 * character references, which AsciiDoc accepts everywhere.
 */
export function escapeAsciidoc(text: string): string {
  return text.replace(special, referenceTo);
}

/** Escapes text as the first value between the brackets of an AsciiDoc macro. */
export function escapeAsciidocValue(text: string): string {
  const escaped = escapeAsciidoc(text);
  return /[,"']/.test(escaped) ? `"${escaped.replaceAll('"', referenceTo)}"` : escaped;
}

function referenceTo(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
