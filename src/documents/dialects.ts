import { formula, inlineFormula } from './formula.ts';

// What the generators and editors of Markdown add to it, for the reader of references and the reader of speech. A syntax
// is read in every document; where other documents may mean something else by it, its pattern is narrow.

/** Boxes that show their kind where they have no title. */
const kinds = words(
  'abstract attention bug caution check cite danger done error example fail failure faq help hint important info missing',
  'note question quote seealso success summary tip tldr todo warning',
);
/** Components and shortcodes that are boxes wherever they exist. */
const ownBoxes = words('caution danger error important info note success tip warning');

/** Boxes that are called so by every generator, and say their kind in an attribute or as a first word. */
const boxes = words('admonition alert aside callout hint notice');
/** Boxes that show nothing without a title. */
const titled = words(
  'accordion accordionitem card collapse details dropdown expand expandable linkcard step tab tabitem',
);

/** Directives of MyST whose content is text. The contents of others, such as `{code-block}`, are not. */
const contents = words(
  [...kinds].join(' '),
  'admonition aside card carousel container definition deprecated div dropdown epigraph exercise figure grid grid-item',
  'grid-item-card highlights lemma margin proof pull-quote rubric sidebar solution tab-item tab-set table theorem topic',
  'versionadded versionchanged',
);
/** Directives whose argument is a number, an address or a class. */
const withOptions = words('carousel container div figure grid grid-item tab-set');

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(' ').split(' '));
}

/** `!!! kind "Title"`, `??? kind`, `=== "Tab"` of MkDocs. Their content is indented by four columns. Sticky. */
export const indentedBox =
  /(?:!!!|\?\?\?\+?)[ \t]+(?=[\w"-])([\w-]{1,50}(?:[ \t]{1,10}[\w-]{1,50}){0,10})?[ \t]{0,10}(?:"([^"\n]{0,500})")?[ \t]*(?=\r?$)|===(?:\+!?|!\+?)?[ \t]+(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')[ \t]*(?=\r?$)/my;

/** `:::kind Title`, `:::kind[Title]{#id}`, `:::{kind} Title`, `::: {.kind}`, without the title. Sticky. */
export const colonBox = /:{3,}[ \t]{0,20}(?:\{([^}\n]{0,500})\}|([\w-]{0,50}))/y;

/** `:::{kind}` of MyST. Sticky. */
export const colonDirective = /:{3,}[ \t]*\{[\w:-]+\}/y;

/** ```` ```{kind} Title ```` of MyST, behind the marks of the fence. Sticky. */
export const fencedBox = /\{([\w:-]+)\}(.*)$/my;

/** An option of a directive of MyST, on a line below it. Sticky. */
export const directiveOption = /:[\w-]+:(?:[ \t].*)?$/my;

/** `[!kind] Title` at the beginning of a quote. */
export const callout = /^\[!([\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*(.*)/;

/** Whether the content of a directive of MyST is text. */
export function hasContent(directive: string): boolean {
  return contents.has(directive);
}

/** Whether the content of a fence is a formula. */
export function isFormula(info: string): boolean {
  return /^(?:\{math\}|math\b)/.test(info.trim());
}

/** Returns what is spoken for a box: its title, else its kind as a word; empty where a page shows neither. */
export function boxTitle(kind: string, title = ''): string {
  return title.trim() || kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
}

/** Returns what is spoken for a line that {@link indentedBox} matches. */
export function indentedTitle([, classes = '', title, tab, other]: RegExpExecArray): string {
  // An empty title hides it.
  if (title !== undefined && title.trim() === '') return '';
  return tab ?? other ?? boxTitle(classes.split(/\s/)[0] ?? '', title);
}

/** Returns what is spoken for a line that {@link colonBox} matches. @param rest of the line */
export function colonTitle([, braces = '', name = '']: RegExpExecArray, rest: string): string {
  const [, directive = ''] = /^([\w:-]+)$/.exec(braces) ?? [];
  if (directive !== '') return directiveTitle(directive, rest);
  const [, className = name] = /(?:^|\s)\.(?:callout-)?([\w-]+)/.exec(braces) ?? [];
  const [, ownTitle] = /\btitle="([^"]*)"/.exec(braces) ?? [];
  const [, label] = /^\[(.*)\]/.exec(rest) ?? [];
  const kind = kinds.has(className.toLowerCase()) ? className : '';
  return boxTitle(kind === '' && className === 'details' ? className : kind, ownTitle ?? label ?? rest);
}

const ofVersions: Readonly<Record<string, string>> = {
  versionadded: 'New in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
};

/** Returns what is spoken for a directive of MyST. */
export function directiveTitle(directive: string, argument: string): string {
  if (Object.hasOwn(ofVersions, directive)) return `${ofVersions[directive]} ${argument.trim()}`;
  return boxTitle(kinds.has(directive) ? directive : '', withOptions.has(directive) ? '' : argument);
}

/**
 * Returns what is spoken for a component of MDX or a shortcode of Hugo: the title of a box or tab, else its kind.
 *
 * @param first values without names
 */
export function componentTitle(
  name: string,
  attributes: Readonly<Record<string, string>>,
  first: readonly string[] = [],
): string {
  const { title, label, header, heading, type, kind, variant, value } = attributes;
  const named = title || label || header || heading;
  if (titled.has(name)) return named || attributes.name || first.at(-1) || (name === 'tabitem' && value) || '';
  const isOwn = ownBoxes.has(name);
  if (!isOwn && !boxes.has(name)) return '';
  const own = isOwn ? name : type || kind || variant || first[0] || '';
  return boxTitle(kinds.has(own.toLowerCase()) ? own : '', named || first.slice(isOwn ? 0 : 1).join(' '));
}

/** Text that a page does not show as it stands. */
export interface Passage {
  /** Global. Without an end, it is the whole passage. */
  readonly begin: RegExp;
  /** Global. */
  readonly end?: RegExp;
  /** Whether it ends in the paragraph in which it begins. */
  readonly isInParagraph?: true;
  /** Whether lines that are nothing else go, as if the text around them was one. Else they become empty. */
  readonly joinsLines?: true;
  /** What its content follows that stays as it is: nothing, or a mark in it. By default, nothing stays. */
  readonly shownAfter?: string;
  /** Returns the text that is read instead; undefined if it is text after all. */
  readonly spoken?: (found: RegExpExecArray, content: string, definitions: ReadonlySet<string>) => string | undefined;
  /** Whether readers see something in its place, so that leaving it out is worth a word. */
  readonly isSeen?: true;
}

/** In the order in which they are looked for. Code is hidden before. */
export const passages: readonly Passage[] = [
  // Liquid of Jekyll, and shortcodes of Hugo
  { begin: /\{%-?[ \t]{0,20}comment\b[^{}\n]{0,100}%\}/g, end: /\{%-?[ \t]{0,20}endcomment[ \t]{0,20}-?%\}/g },
  {
    begin: /\{%-?[ \t]{0,20}highlight\b[^{}\n]{0,100}%\}/g,
    end: /\{%-?[ \t]{0,20}endhighlight[ \t]{0,20}-?%\}/g,
    isSeen: true,
  },
  {
    begin: /\{\{[<%][ \t]{0,20}highlight\b[^{}\n]{0,100}[>%]\}\}/g,
    end: /\{\{[<%][ \t]{0,20}\/[ \t]{0,20}highlight[ \t]{0,20}[>%]\}\}/g,
    isSeen: true,
  },
  // Comments of Go, MDX, Jinja and kramdown
  { begin: /\{\{-?[ \t]{0,20}\/\*/g, end: /\*\/[ \t]{0,20}-?\}\}/g },
  { begin: /\{\/\*/g, end: /\*\/\}/g, joinsLines: true },
  { begin: /\{#-?(?=[ \t\r\n])/g, end: /#\}/g },
  { begin: /\{::comment\}/g, end: /\{:\/(?:comment)?\}/g },
  // Comments of Obsidian
  { begin: /(?<=^[ \t>]{0,20})%%(?!%)/gm, end: /%%/g, joinsLines: true },
  { begin: /(?<![\p{L}\p{N}%\\])%%(?!%)/gu, end: /%%(?![\p{L}\p{N}%])/gu, isInParagraph: true },
  // CriticMarkup
  { begin: /\{>>/g, end: /<<\}/g, joinsLines: true },
  { begin: /\{--/g, end: /--\}/g, joinsLines: true },
  { begin: /\{\+\+/g, end: /\+\+\}/g, shownAfter: '' },
  { begin: /\{==/g, end: /==\}/g, shownAfter: '' },
  { begin: /\{~~/g, end: /~~\}/g, isInParagraph: true, shownAfter: '~>' },
  // Formulas
  { begin: /(?<=^[ \t>]{0,20})\$\$(?=[ \t]*\r?$)/gm, end: /\$\$/g, spoken: () => formula, isSeen: true },
  {
    begin: /(?<![\\$])\$\$(?!\$)/g,
    end: /\$\$/g,
    isInParagraph: true,
    spoken: ({ input, index }, text) =>
      isWholeLine(input, index, index + text.length + 4) ? formula : inlineFormula(text),
    isSeen: true,
  },
  {
    begin: /(?<!\\)\\\[/g,
    end: /\\\]/g,
    isInParagraph: true,
    spoken: (_, text) => (isTex(text) ? formula : undefined),
    isSeen: true,
  },
  {
    begin: /(?<!\\)\\\(/g,
    end: /\\\)/g,
    isInParagraph: true,
    spoken: (_, text) => (isTex(text) ? inlineFormula(text) : undefined),
    isSeen: true,
  },
  {
    // The end is the next dollar sign, so that an amount never reaches beyond the next one.
    begin: /(?<![\p{L}\p{N}\\$])\$(?=[^\s$])/gu,
    end: /(?<!\\)\$/g,
    isInParagraph: true,
    spoken: ({ input, index }, text) => (isAmount(input, index, text) ? undefined : inlineFormula(text)),
    isSeen: true,
  },
  // Roles of MyST, whose content is a code span
  { begin: /\{math\}(\uE000+)/g, spoken: () => 'formula', isSeen: true },
  { begin: /\{[a-z][\w:+-]{0,50}\}(?=\uE000)/g },
  // Attributes, tables of contents, abbreviations and included files, each on lines of their own
  { begin: /^[ \t>]{0,20}(?:[-*+]|1\.)[ \t][^\n]*\n[ \t]{0,20}\{:[ \t]{0,20}toc\b[^{}\n]{0,200}\}/gm },
  { begin: /^[ \t]{0,3}\*\[[^[\]\n]{1,200}\][ \t]?:[^\n]*/gm },
  { begin: /(?<=^[ \t>]{0,20})(?:\[toc\]|\[\[_?toc_?\]\])[ \t]{0,20}(?=\r?$)/gim },
  { begin: /(?<=^[ \t>]{0,20})(?:-{1,5}8<-{1,5}[ \t]|<<<[ \t]{0,4}@)[^\n]{0,500}/gm, isSeen: true },
  { begin: /(?<![\\{])\{:[^{}\n]{0,500}\}/g },
  { begin: /(?<![\\{])\{[ \t]{1,4}[#.][a-zA-Z][^{}\n]{0,300}\}(?!\})/g },
  { begin: /(?<=[)\]])\{[ \t]{1,4}[\w-]+=[^{}\n]{0,300}\}/g },
  // Obsidian: embedded files, links, blocks with names, marked text
  {
    begin: /(?<!\\)!\[\[(?!\s)[^[\]\n|\\]{1,300}(?:\\?\|([^[\]\n]{0,300}))?\]\]/g,
    spoken: ({ 1: words = '' }) => embedded(words),
    isSeen: true,
  },
  {
    begin: /(?<![\p{L}\p{N}\]\\])\[\[(?!\s)([^[\]\n|\\]{1,300})(?:\\?\|([^[\]\n]{0,300}))?\]\](?![([:])/gu,
    spoken: ({ 1: page = '', 2: words = '' }) => words || linked(page),
  },
  { begin: /(?<=^|[ \t])\^(?:[a-zA-Z][\w-]{0,50}|[\da-f]{6})[ \t]{0,20}(?=\r?$)/gm },
  {
    begin: /(?<![\p{L}\p{N}=\\])==(?=[^\s=])/gu,
    end: /(?<=[^\s=])==(?![\p{L}\p{N}=])/gu,
    isInParagraph: true,
    shownAfter: '',
  },
  // Citations of Pandoc, but not links to a person: `[@ann]` with a definition
  {
    begin: /(?<![\\\]!])[ \t]{0,4}\[(?:[^[\]\n@]{0,200}[\s;])?-?@\w[^[\]\n]{0,300}\](?![([:])/g,
    spoken: ({ 0: whole }, _, definitions) =>
      definitions.has(whole.trim().slice(1, -1).toLowerCase()) ? undefined : '',
  },
  {
    begin: /(?<=^|[\s(|>*_]):([a-z][a-z\d_+-]{1,50}|[+-]1):(?=$|[\s.,;!?)|<*_])/gm,
    spoken: ({ 1: name = '' }) => emoji(name),
  },
  {
    begin: /\{\{[<%]\s{0,20}(\/?)\s{0,20}([\w./-]{0,100})((?:[^{}"]|"[^"\n]{0,500}"){0,500})[>%]\}\}/g,
    spoken: ({ 1: closing, 2: name = '', 3: parameters = '' }) => (closing ? '' : shortcode(name, parameters)),
  },
  { begin: /\{%-?\s{0,20}[a-z_][^{}]{0,500}%\}/gi },
];

function isWholeLine(text: string, start: number, end: number): boolean {
  return (
    /(?:^|\n)[ \t>]{0,20}$/.test(text.slice(Math.max(0, start - 30), start)) &&
    /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 30))
  );
}

/** Brackets that are escaped as text are none of TeX: `\[sic\]`, `\(see [here](a_b)\)`. */
function isTex(text: string): boolean {
  return /\\[a-zA-Z]{2}|\^|=/.test(text) && !/\]\(|:\/\/|`/.test(text);
}

/** Amounts of money and names of variables: `$5 or $10`, `$HOME`, `$(pwd)`. */
function isAmount(text: string, start: number, inside: string): boolean {
  const after = text[start + inside.length + 2] ?? '';
  return (
    /\s$/.test(inside) ||
    /[\p{L}\p{N}{$]/u.test(after) ||
    /^[\d.,]+(?:\s\p{L}|[kKmMbB]?\b[^\\^_=+]*\p{L}{2})/u.test(inside)
  );
}

/** The alternative text of an embedded picture, which its size may replace. */
function embedded(words: string): string {
  return words === '' || /^\d+(?:x\d+)?$/.test(words) ? '' : `![${words}](_)`;
}

function linked(page: string): string {
  return page
    .split('#')
    .filter((part) => part !== '' && !part.startsWith('^'))
    .join(', ');
}

/** Icons of a theme are decoration. */
function emoji(name: string): string {
  if (/^(?:material|fontawesome|octicons|simple|fa|bi)-/.test(name)) return '';
  if (name === '+1' || name === '-1') return name === '+1' ? 'thumbs up' : 'thumbs down';
  return name.replace(/[_-]/g, ' ');
}

function shortcode(name: string, parameters: string): string {
  const attributes: Record<string, string> = {};
  const first: string[] = [];
  for (const [, key, quoted, bare = ''] of parameters.matchAll(/(?:([\w-]{1,50})=)?(?:"([^"\n]*)"|([^\s"=/]+))/g)) {
    if (key === undefined) first.push(quoted ?? bare);
    else attributes[key] = quoted ?? bare;
  }
  if (name === 'figure') return `![${attributes.alt ?? attributes.caption ?? attributes.title ?? ''}](_)`;
  const title = componentTitle(name.toLowerCase(), attributes, first);
  return title === '' ? '' : `${/[.!?:]$/.test(title) ? title : `${title}.`} `;
}
