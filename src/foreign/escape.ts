import { type PlainLine, type PlainText, plainLine, plainRow, plainText } from './plainText.ts';

// What a plain text needs to stand in each language as text, and never as markup, code or a command. Every writer of
// foreign text goes through one of these functions.

/**
 * Escapes text for Markdown, also where a site generator reads the file as a template or as MDX. Escapes only what would
 * be markup, so that the file stays readable. {@link unescapeMarkdown} is its inverse.
 */
export function escapeMarkdown(text: PlainText): string {
  const lines = text.split('\n').map((line) => escapeMarkdownStart(escapeMarkdownInside(line.trim())));
  return partMustaches(withoutModules(lines.join('\n')));
}

function escapeMarkdownInside(line: string): string {
  return (
    line
      .replace(/[\\`*{]/g, '\\$&')
      // Liquid, Jinja, and Pandoc's attributes.
      .replace(/(?<=\{)[%#]/g, '\\$&')
      // An underscore inside a word is not markup.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/~(?=~)|(?<=~)~/g, '\\~')
      .replace(/&(?=#?\w+;)/g, '\\&')
      // PHP, ERB and EJS, and comments in which VitePress names files to include: they read the file before Markdown
      // does, so a backslash does not help.
      .replace(/<(?=[!?%])/g, '&lt;')
      .replace(/<(?=[a-z/])/gi, '\\<')
      .replace(/\](?=\()/g, '\\]')
  );
}

function escapeMarkdownStart(line: string): string {
  return (
    line
      // Headings, quotes, lists, link and footnote definitions.
      .replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|\[(?=.*\]:))/, '\\$&')
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
      // Thematic breaks, heading underlines and table delimiters.
      .replace(/^[-=|:](?=[-=|:\s]*$)/, '\\$&')
      // Containers; files that VitePress and Material for MkDocs include.
      .replace(/^(?::(?=::)|<(?=<<)|-(?=-*8<-))/, '\\$&')
  );
}

/**
 * Parts two opening braces. Markdown removes the backslashes before Vue compiles the page, so that only an element
 * between the braces keeps them from being an expression.
 */
function partMustaches(markdown: string): string {
  return markdown.replace(/(?<=\{)(?=\\\{)/g, emptyComment);
}

const emptyComment = '<!-- -->';

/** Docusaurus reads Markdown as MDX, in which a line can be an `import` or `export` of JavaScript. */
function withoutModules(markdown: string): string {
  // Without these there is no code, only prose.
  return /["'`(=]/.test(markdown) ? escapeModules(markdown) : markdown;
}

function escapeModules(markdown: string): string {
  return markdown.replace(/^(?:import|export)\b/gm, (word) => `&#${word.charCodeAt(0)};${word.slice(1)}`);
}

/** Returns the text that {@link escapeMarkdown} escaped. */
export function unescapeMarkdown(markdown: string): PlainText {
  return plainText(
    markdown.replace(/\\([!-/:-@[-`{-~])|<!-- -->|&lt;|&#(101|105);/g, (found, escaped?: string, letter?: string) => {
      if (escaped !== undefined) return escaped;
      if (letter !== undefined) return String.fromCharCode(Number(letter));
      return found === '&lt;' ? '<' : '';
    }),
  );
}

/** Escapes text for MDX, which has no comments and reads more as JSX. */
export function escapeMdx(text: PlainText): string {
  const lines = text.split('\n').map((line) => escapeMarkdownStart(escapeMarkdownInside(line.trim())));
  return escapeModules(lines.join('\n').replace(/(?<!\\)</g, '\\<'));
}

/** Escapes text between the brackets of a link or an image in Markdown or MDX. A bar would end the cell of a table. */
export function escapeMarkdownTitle(title: PlainLine, language: 'markdown' | 'mdx', isImage: boolean): string {
  const opening = language === 'mdx' ? /</g : /<(?=[a-z/])/gi;
  const escaped = title
    .replace(/[\\[\]`{|]/g, '\\$&')
    .replace(/(?<=\{)[%#]/g, '\\$&')
    .replace(/<(?=[!?%])/g, '&lt;')
    .replace(opening, '\\$&');
  // The text of an image becomes an attribute, in which nothing is compiled and a comment would show.
  return language === 'mdx' || isImage ? escaped : partMustaches(escaped);
}

/** Writes text as code of Markdown, in which nothing is markup or a link. It can be read in the source as well. */
export function markdownCode(line: PlainLine): string {
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const padding = runs.length > 0 ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}

/** Escapes text for a cell of a table of GitHub's Markdown. Nobody is mentioned, and nothing is linked. */
export function escapeMarkdownCell(line: PlainLine): string {
  // A commit is named by 7 to 40 digits of its hash, so that pieces of 6 name none.
  return escapeMarkdown(line)
    .replaceAll('|', ' ')
    .replace(/@(?=\w)|#(?=\d)|\bGH(?=-\d)|[\da-f]{6}(?=[\da-f])|(?<=:)\/(?=\/)|(?<=www)\./gi, `$&${emptyComment}`);
}

/** Escapes text for the Markdown that VS Code shows. Nobody reads its source, so all punctuation is escaped. */
export function escapeHover(text: PlainText): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/[!-/:-@[-`{-~]/g, referenceTo));
  return lines.filter((line) => line !== '').join('\n\n');
}

/** Escapes text for reStructuredText. */
export function escapeRestructuredText(text: PlainText): string {
  return (
    text
      .replace(/^[ \t]+/gm, '')
      .replace(/[\\*`|]|_(?!\w)|(?<=:):$/gm, '\\$&')
      // Lists, directives, comments, fields, tests and rules.
      .replace(
        /^(?:[-+•‣⁃](?=\s|$)|\(?(?:\d+|[a-z]|[ivxlcdm]+|#)[.)](?=\s|$)|\.\.(?=\s|$)|>>>|:(?=[^:\s])|([!-/:-@[-`{-~])\1{2,}$)/gim,
        '\\$&',
      )
  );
}

/** What is markup nearly everywhere, also in addresses: an underscore but not inside a word, `((`, `(C)`, `--` and `$$`. */
const sharedInAsciidoc = /_(?!(?<=[a-z\d]_)[a-z\d])|\((?=\(|(?:C|R|TM)\))|-(?=-)|\$(?=\$)/;
/** Characters that are markup nearly everywhere. Without brackets and braces there is no macro and no attribute. */
const markupInAsciidoc = /[[\]{}*`#^~+\\|<>=@]/;
/**
 * Character references, `--`, `...`, `::` and the beginning of a URL. A semicolon makes a list marker with the one at the
 * end of a character reference.
 */
const sequencesInAsciidoc = /&(?=#?\w+;)|(?<=-)-|\.(?=\.)|(?<=\.)\.|(?<=[^a-z\d\s]);|:(?=:|\/\/)/;
/**
 * Beginnings of lines: lists, titles, attributes, comments, rules and admonitions. They are found by their last character,
 * so that spaces are not searched again and again.
 */
const beginningsInAsciidoc =
  /[-.:/'•](?<=^[ \t]*.)|\.(?<=^[ \t]*(?:\d+|[a-z])\.)|\)(?<=^[ \t]*[ivx]+\))|:(?<=^[ \t]*(?:NOTE|TIP|IMPORTANT|CAUTION|WARNING):)/;
const specialInAsciidoc = new RegExp(
  [sharedInAsciidoc, markupInAsciidoc, sequencesInAsciidoc, beginningsInAsciidoc].map(({ source }) => source).join('|'),
  'gim',
);

/**
 * Escapes text so that AsciiDoc shows it as it is and runs nothing. Apostrophes may become typographic.
 *
 * A backslash is shown when there is nothing to escape, and `pass:[]` does not work in attributes, so this writes
 * character references, which AsciiDoc accepts everywhere.
 */
export function escapeAsciidoc(text: PlainText): string {
  return text.replace(specialInAsciidoc, referenceTo);
}

/** Escapes text as the first value between the brackets of an AsciiDoc macro. */
export function escapeAsciidocValue(text: PlainLine): string {
  const escaped = escapeAsciidoc(text);
  return /[,"']/.test(escaped) ? `"${escaped.replaceAll('"', referenceTo)}"` : escaped;
}

/** What AsciiDoc replaces in a line before it reads the macros in it, or afterwards. */
const markupInAddress = new RegExp(`${sharedInAsciidoc.source}|[*+~@]|\\.(?=\\.\\.)`, 'gi');

/**
 * Escapes an encoded address for an AsciiDoc macro: brackets, because one would end it, character references, and the
 * markup in a macro inside a line.
 */
export function escapeAsciidocAddress(encoded: string, isInLine: boolean): string {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const address = encoded.replace(/[[\]]|&(?=\w)/g, encode);
  return isInLine ? address.replace(markupInAddress, encode) : address;
}

function referenceTo(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

/** A backslash before these characters would break the line or add an accent to the next character. */
const namesInLatex: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** Escapes text so that LaTeX prints it literally. */
export function escapeLatex(text: PlainText): string {
  return text.replace(/[\\{}%#$&_^~]/g, (character) => namesInLatex[character] ?? `\\${character}`);
}

/**
 * Escapes a path for LaTeX, whose file commands take most characters literally. The rest, and `^^`, which begins a
 * character code, are escaped: the path then leads to no file, but nothing in it runs.
 */
export function escapeLatexPath(path: PlainLine): string {
  return path.replace(/[\\{}%#]|\^(?=\^)/g, (character) => namesInLatex[character] ?? `\\${character}`);
}

/** Escapes text between tags of HTML, JSX, Vue, Svelte and Astro, also for templates. */
export function escapeHtml(text: PlainText): string {
  return text.replace(/[&<>{}]/g, referenceTo);
}

/**
 * Escapes text between tags of a page. A browser decodes its character references before a script such as Vue reads the
 * page as a template, so that two braces are parted by a comment.
 */
export function escapePage(text: PlainText): string {
  return partReferences(escapeHtml(text));
}

/** Escapes a title between tags of a page as {@link escapePage} does. */
export function escapePageTitle(title: PlainLine): string {
  return partReferences(escapeAttribute(title));
}

function partReferences(html: string): string {
  return html.replace(/&#123;(?=&#123;)/g, `$&${emptyComment}`);
}

/** Escapes text for the value of an attribute in double quotes. */
export function escapeAttribute(line: PlainLine): string {
  return line
    .replace(/&/g, '&amp;')
    .replace(/"/g, '&quot;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[{}]/g, referenceTo);
}

/** Escapes text for WebVTT. */
export function escapeVtt(line: PlainLine): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The tags of SubRip, and those that it has from SubStation Alpha; anything else in brackets is text. */
export const subRipTags: RegExp = /<\/?(?:[bius]|font(?:[ \t][^<>]*)?)>|\{\\[^{}]*\}/gi;

/** Replaces the arrow that separates times and the brackets of tags, which SubRip cannot escape, by similar ones. */
export function escapeSrt(line: PlainLine): string {
  return line.replaceAll('-->', '→').replace(subRipTags, (tag) => `‹${tag.slice(1, -1)}›`);
}

/**
 * Writes a value for YAML. Always quotes it, because the language `no` would be read as false. Where a template would begin, for
 * those that read the whole file before its front matter (EJS, ERB, PHP, Liquid, Jinja), a character is written as a number.
 */
export function quoteYaml(line: PlainLine): string {
  return JSON.stringify(line).replace(/<(?=[!?%])|\{(?=[{%#])/g, (character) => unitReference(character.charCodeAt(0)));
}

/** `##[` of GitHub's runner, and `##vso[` and `##teamcity[` of other build servers, anywhere in a row. */
const buildCommand = /##(?=\w*\[)/g;

declare const printable: unique symbol;

/** Rows of output in which nothing commands a terminal or a build server. */
export type Printable = string & { readonly [printable]: true };

/** Writes a value as JSON on one row. What nobody sees in it is written as a number, so that the value stays the same. */
export function printableJson(value: unknown): Printable {
  const json = JSON.stringify(value)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) =>
      [...Array(character.length).keys()].map((at) => unitReference(character.charCodeAt(at))).join(''),
    )
    .replace(buildCommand, `#${unitReference('#'.charCodeAt(0))}`);
  return json as Printable;
}

function unitReference(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Returns rows of output. GitHub's runner takes a row that begins with `::` for a command. */
export function printableText(text: string): Printable {
  const rows = text.split('\n').map((row) =>
    plainRow(row)
      .replace(/^(\s*:)(?=:)/, '$1 ')
      .replace(buildCommand, '## '),
  );
  return rows.join('\n') as Printable;
}

/** Writes an error or a warning at a line of a file for GitHub's runner. */
export function annotation(level: 'error' | 'warning', file: string, line: number, message: string): Printable {
  const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  return `::${level} file=${property(file)},line=${line}::${data(message)}` as Printable;
}

function data(text: string): string {
  return plainLine(text).replace(/%/g, '%25').replace(buildCommand, '## ');
}
