import { type Language, languageOf, languages } from '../documents/Language.ts';
import { isPathInLatex } from '../documents/latex.ts';
import type { ReferenceForm } from '../documents/MediaReference.ts';
import { trackIn } from '../documents/videoElement.ts';
import {
  escapeAsciidoc,
  escapeAsciidocAddress,
  escapeAsciidocValue,
  escapeAttribute,
  escapeLatex,
  escapeLatexPath,
  escapeMarkdownTitle,
  escapePageTitle,
} from '../foreign/escape.ts';
import { isPlainLine, type PlainLine, plainLine, plainRow } from '../foreign/plainText.ts';
import type { AssetKind } from '../operations/operations.ts';
import type { WrittenReference } from './Places.ts';
import type { Wrapper } from './Project.ts';

export interface Reference {
  /** Address of the file relative to the document, with forward slashes and not encoded. */
  readonly path: string;
  readonly kind: AssetKind;
  /** What the file shows or says: the prompt, or the file's name. */
  readonly title: PlainLine;
  /** Code that the document's project needs around the address. */
  readonly wrapper?: Wrapper;
  /** The identifier that holds the address, where it is imported. */
  readonly imported?: string;
  /** Whether to write a tag where Markdown has a shorter form. */
  readonly isTag?: boolean;
  /** Whether the address of a sound belongs into an element `<source>`. */
  readonly hasSource?: boolean;
  /** Whether it stands beside other text. */
  readonly isInLine?: boolean;
}

/** The user's Markdown snippets for audio and video, with `${src}` and `${title}`. */
export interface MarkdownSnippets {
  readonly audio: string;
  readonly video: string;
}

/** Returns the language to write a reference in. JavaScript may contain JSX, but most of it does not. */
export function languageToWrite(languageId: string, path = ''): Language {
  return languageId === 'javascript' ? 'script' : languageOf(languageId, path);
}

/** Returns the form that {@link formatReference} gives a reference. */
export function formToWrite(language: Language, kind: AssetKind, isInLine = false): ReferenceForm {
  const { forms = ['tag', 'tag', 'tag'], formInLine } = languages[language];
  const [picture, player, link] = forms;
  if (kind === 'images') return picture;
  return kind === 'transcripts' ? link : ((isInLine ? formInLine : undefined) ?? player);
}

/** Returns the text that shows or links a file in a document; the bare path when the language has no known form. */
export function formatReference(language: Language, reference: Reference, snippets: MarkdownSnippets): string {
  const { kind, title, isInLine = false } = reference;
  switch (language) {
    case 'markdown':
      return inMarkdown(reference, snippets);
    case 'mdx': {
      const isInline = formToWrite(language, kind) === 'inline' && !reference.isTag;
      return isInline ? inline(reference, 'mdx') : inHtml(reference, language);
    }
    case 'html':
    case 'vue':
    case 'svelte':
    case 'astro':
    case 'jsx':
      return inHtml(reference, language);
    case 'css':
    case 'scss':
      return `url("${spaced(addressOf(reference))}")`;
    case 'latex':
      return kind === 'images'
        ? `\\includegraphics{${latexPath(reference)}}`
        : `\\href{${latexPath(reference)}}{${escapeLatex(title)}}`;
    case 'asciidoc':
      return formToWrite(language, kind, isInLine) === 'inline'
        ? `link:${escapeAsciidocAddress(addressOf(reference), true)}[${escapeAsciidoc(title)}]`
        : asciidocMacro(reference, title, isInLine);
    case 'restructuredtext':
      return kind === 'images'
        ? `.. image:: ${directivePath(reference.path)}\n   :alt: ${title}`
        : `\`${title.replace(/[`<>]/g, '')} <${addressOf(reference)}>\`__`;
    case 'script':
    case 'gdscript':
    case 'dart':
    case 'other':
      return plainRow(reference.path);
  }
}

function latexPath({ path }: Pick<Reference, 'path'>): string {
  return escapeLatexPath(plainRow(path));
}

/** Returns a path for a directive of reStructuredText, which ignores spaces that are not escaped. */
function directivePath(path: string): string {
  return plainRow(path).replace(/[\\ ]/g, '\\$&');
}

/**
 * Returns an address as it stands inside a reference.
 *
 * @param before the text in front of it, with its quote
 * @returns undefined when the address cannot stand there
 */
export function hrefIn(
  language: Language,
  form: ReferenceForm,
  { address: path, wrapper }: Pick<WrittenReference, 'address' | 'wrapper'>,
  before = '',
): string | undefined {
  if (isCode(wrapper)) return undefined;
  if (wrapper) return templates[wrapper](path);
  if (language === 'restructuredtext' && form === 'macro') return directivePath(path);
  if (languages[language].hasPaths) {
    return isPlainLine(path) && (language !== 'latex' || isPathInLatex(path)) ? path : undefined;
  }
  // A brace in front is that of a directive of MyST.
  if (language === 'markdown' && form === 'macro' && !/\}[ \t]+$/.test(before)) return hexoPath(path, before);
  // Bundlers read it as a path, so it is not encoded.
  if (form === 'module') return /['"\\`]/.test(path) || !isPlainLine(path) ? undefined : path;
  const encoded = encodePath(path);
  if (language === 'asciidoc') return escapeAsciidocAddress(encoded, !before.endsWith('::'));
  if (form === 'tag') return /\{\s*["'`]$/.test(before) ? encoded : encoded.replace(/&/g, '&amp;');
  const isQuoted = form === 'style' && /["']$/.test(before);
  return isQuoted ? spaced(encoded) : withoutParentheses(encoded);
}

/** Some bundlers read an address in CSS as a path, and inside quotes a space may stand. */
function spaced(encoded: string): string {
  return encoded.replaceAll('%20', ' ');
}

function inMarkdown(reference: Reference, snippets: MarkdownSnippets): string {
  if (reference.isTag) return inHtml(reference, 'markdown');
  if (formToWrite('markdown', reference.kind) === 'inline') return inline(reference, 'markdown');
  if (reference.hasSource) return inHtml(reference, 'markdown');
  const snippet = reference.kind === 'videos' ? snippets.video : snippets.audio;
  // A snippet with quotes of its own has no room for an expression in braces.
  if (isCode(reference.wrapper) && !snippet.includes('"${src}"')) return inHtml(reference, 'mdx');
  return snippet.replace(/"\$\{src\}"|\$\{(src|title)\}/g, (whole, name) => {
    if (whole.startsWith('"') && isCode(reference.wrapper)) return sourceOf(reference);
    const quote = whole.startsWith('"') ? '"' : '';
    // In an attribute, browsers need no semicolon: `a&amp.png`.
    if (name !== 'title') return quote + parenthesised(reference).replace(/&(?=\w)/g, '%26') + quote;
    return attributeIn('markdown', reference.title);
  });
}

function inline(reference: Reference, language: 'markdown' | 'mdx'): string {
  const isImage = reference.kind === 'images';
  const text = escapeMarkdownTitle(reference.title, language, isImage);
  return `${isImage ? '!' : ''}[${text}](${parenthesised(reference)})`;
}

/** Returns the address with its parentheses encoded, because one would end the reference. */
function parenthesised(reference: Reference): string {
  const encoded = addressOf(reference);
  if (reference.wrapper !== undefined) return encoded;
  return withoutParentheses(encoded);
}

function withoutParentheses(encoded: string): string {
  return withoutCharacterReferences(encoded).replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

/** Encodes the ampersands that Markdown and browsers would read as character references, as in `a&copy;.png`. */
function withoutCharacterReferences(encoded: string): string {
  return encoded.replace(/&(?=\w+;)/g, '%26');
}

/** Returns the element that shows captions in a video. @param label the name of their language */
export function formatTrack(
  language: Language,
  { address, ...code }: Pick<WrittenReference, 'address' | 'wrapper'> & Pick<Reference, 'imported'>,
  { language: spoken, label }: { readonly language: string | undefined; readonly label: string },
): string {
  const source = sourceOf({ path: address, ...code });
  return trackIn(language, { source, language: spoken, label: attributeIn(language, plainLine(label)) });
}

/** Escapes text for the value of an attribute. A bar would end the cell of a table of Markdown. */
function attributeIn(language: Language, text: PlainLine): string {
  const escaped = escapeAttribute(text);
  return ['markdown', 'mdx'].includes(language) ? escaped.replaceAll('|', '&#124;') : escaped;
}

function inHtml(reference: Reference, language: Language): string {
  const { kind } = reference;
  const address = sourceOf(reference);
  const text = attributeIn(language, reference.title);
  switch (kind) {
    case 'images':
      if (reference.wrapper === 'native') return `<Image source=${address} alt="${text}" />`;
      return `<img src=${address} alt="${text}"${languages[language].closesElements ? ' />' : '>'}`;
    case 'speech':
      return reference.hasSource
        ? `<audio controls title="${text}"><source src=${address}></audio>`
        : `<audio controls src=${address} title="${text}"></audio>`;
    case 'videos':
      return `<video controls src=${address} title="${text}"></video>`;
    case 'transcripts':
      return `<a href=${address}>${language === 'html' ? escapePageTitle(reference.title) : text}</a>`;
  }
}

/** Returns the value of an attribute, with its quotes or braces. */
function sourceOf(reference: Pick<Reference, 'path' | 'wrapper' | 'imported'>): string {
  const { path, wrapper, imported } = reference;
  if (wrapper === 'native') return `{${requireCall(path)}}`;
  if (isCode(wrapper)) return codeFor(path, imported);
  return wrapper ? `"${addressOf(reference)}"` : `"${escapeAttribute(plainRow(addressOf(reference)))}"`;
}

type Code = 'require' | 'import' | 'native';

/** Whether a wrapper is JavaScript, which stands in braces instead of quotes. */
export function isCode(wrapper: Wrapper | undefined): wrapper is Code {
  return wrapper === 'require' || wrapper === 'import' || wrapper === 'native';
}

/**
 * Returns the value of an attribute of JSX. Bundlers read the address as a path, so it is not encoded.
 *
 * @param imported the identifier that holds the address; without it the value finds the file itself
 */
export function codeFor(address: string, imported: string | undefined): string {
  if (imported !== undefined) return `{${imported}}`;
  return `{${requireCall(address)}.default}`;
}

function requireCall(address: string): string {
  const quote = address.includes("'") ? '"' : "'";
  const path = plainRow(address).replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  return `require(${quote}${path}${quote})`;
}

/** Template expressions: those of Jekyll and Eleventy put the path of the site in front, that of Hexo the post's. */
const templates: Readonly<Record<Exclude<Wrapper, Code>, (path: string) => string>> = {
  relativeUrl: (path) => `{{ '${withoutCharacterReferences(encodePath(path))}' | relative_url }}`,
  url: (path) => `{{ '${withoutCharacterReferences(encodePath(path))}' | url }}`,
  assetPath: (path) => `{% asset_path ${hexoWord(path) ?? encodePath(path)} %}`,
};

/**
 * Returns a path as a word of a Hexo tag, in quotes unless it is a plain word. Hexo compares it with the name of the file,
 * so it is not encoded.
 *
 * @returns undefined when the path cannot stand in a tag
 */
function hexoWord(path: string): string | undefined {
  if (/[\\{}<>]/.test(path) || !isPlainLine(path)) return undefined;
  if (/^[\p{L}\p{M}\p{N}_./-]+$/u.test(path)) return path;
  const quote = path.includes('"') ? "'" : '"';
  return path.includes(quote) ? undefined : quote + path + quote;
}

/** Returns a path for a place in a Hexo tag that may already have quotes. @param before the text in front of the place */
function hexoPath(path: string, before: string): string | undefined {
  const word = hexoWord(path);
  const [quote] = /["']$/.exec(before) ?? [];
  if (word === undefined || quote === undefined) return word;
  return path.includes(quote) ? undefined : path;
}

/** Returns the encoded address, in the expression that it needs. */
function addressOf({ path, wrapper }: Pick<Reference, 'path' | 'wrapper'>): string {
  return wrapper === undefined || isCode(wrapper) ? encodePath(path) : templates[wrapper](path);
}

function asciidocMacro(reference: Reference, title: PlainLine, isInLine: boolean): string {
  const address = escapeAsciidocAddress(addressOf(reference), isInLine);
  if (reference.kind === 'images') return `image:${isInLine ? '' : ':'}${address}[${escapeAsciidocValue(title)}]`;
  return `${reference.kind === 'videos' ? 'video' : 'audio'}::${address}[]`;
}

/** Encodes only what would end an address in one of the languages, so that letters of any script stay readable. */
function encodePath(path: string): string {
  return path
    .toWellFormed()
    .replace(/[\s"'#%<>?\\^`{|}\p{Cc}]|(?![\u200c\u200d])\p{Cf}/gu, (character) =>
      encodeURIComponent(character).replace("'", '%27'),
    );
}
