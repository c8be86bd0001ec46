import type { Language } from '../../documents/Language.ts';
import { languageOf } from '../../documents/Language.ts';
import type { ReferenceForm } from '../../documents/MediaReference.ts';
import {
  escapeAsciidoc,
  escapeAsciidocValue,
  escapeAttribute,
  escapeLatex,
  escapeLatexPath,
  escapeMarkdownTitle,
  escapePageTitle,
} from '../../foreign/escape.ts';
import type { PlainLine } from '../../foreign/plainText.ts';
import { isPlainLine, plainRow } from '../../foreign/plainText.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { Wrapper } from '../../projects/Project.ts';

export interface Reference {
  /** Address of the file relative to the document, with forward slashes and not encoded. */
  readonly path: string;
  readonly kind: AssetKind;
  /** What the file shows or says: the prompt, or the file's name. */
  readonly title: PlainLine;
  /** Code that the document's project needs around the address. */
  readonly wrapper?: Wrapper | undefined;
}

/** The user's Markdown snippets for audio and video, with `${src}` and `${title}`. */
export interface MarkdownSnippets {
  readonly audio: string;
  readonly video: string;
}

const html: readonly Language[] = ['html', 'vue', 'svelte', 'astro', 'jsx'];

/** Returns the language to write a reference in. JavaScript may contain JSX, but most of it does not. */
export function languageToWrite(languageId: string, path = ''): Language {
  return languageId === 'javascript' ? 'script' : languageOf(languageId, path);
}

/** Returns the form that {@link formatReference} gives a reference. */
export function formToWrite(language: Language, kind: AssetKind): ReferenceForm {
  switch (language) {
    case 'markdown':
    case 'mdx':
      return kind === 'images' || kind === 'transcripts' ? 'inline' : 'tag';
    case 'css':
    case 'scss':
      return 'style';
    case 'latex':
    case 'asciidoc':
    case 'restructuredtext':
      return 'macro';
    default:
      return 'tag';
  }
}

/** Returns the text that shows or links a file in a document; the bare path when the language has no known form. */
export function formatReference(language: Language, reference: Reference, snippets: MarkdownSnippets): string {
  const { kind, title } = reference;
  if (language === 'markdown') return inMarkdown(reference, snippets);
  if (language === 'mdx')
    return formToWrite(language, kind) === 'inline' ? inline(reference, 'mdx') : inHtml(reference, language);
  if (html.includes(language)) return inHtml(reference, language);
  switch (language) {
    case 'css':
    case 'scss':
      return `url("${addressOf(reference)}")`;
    case 'latex':
      return kind === 'images'
        ? `\\includegraphics{${latexPath(reference)}}`
        : `\\href{${latexPath(reference)}}{${escapeLatex(title)}}`;
    case 'asciidoc':
      return kind === 'transcripts'
        ? `link:${withoutBrackets(addressOf(reference))}[${escapeAsciidoc(title)}]`
        : asciidocMacro(reference, title);
    case 'restructuredtext':
      return kind === 'images'
        ? `.. image:: ${addressOf(reference)}\n   :alt: ${title}`
        : `\`${title.replace(/[`<>]/g, '')} <${addressOf(reference)}>\`_`;
    default:
      return plainRow(reference.path);
  }
}

function latexPath({ path }: Reference): string {
  return escapeLatexPath(plainRow(path));
}

/**
 * Returns an address as it stands inside a reference.
 *
 * @returns undefined when the address cannot stand there
 */
export function hrefIn(language: Language, form: ReferenceForm, path: string): string | undefined {
  if (language === 'latex') return escapeLatexPath(plainRow(path));
  if (['gdscript', 'dart'].includes(language)) return isPlainLine(path) ? path : undefined;
  // Bundlers read it as a path, so it is not encoded.
  if (form === 'module') return /['"\\`]/.test(path) || !isPlainLine(path) ? undefined : path;
  const encoded = encodePath(path);
  if (language === 'asciidoc') return withoutBrackets(encoded);
  return form === 'tag' ? encoded.replace(/&/g, '&amp;') : withoutParentheses(encoded);
}

function inMarkdown(reference: Reference, snippets: MarkdownSnippets): string {
  if (formToWrite('markdown', reference.kind) === 'inline') return inline(reference, 'markdown');
  const snippet = reference.kind === 'videos' ? snippets.video : snippets.audio;
  // A snippet with quotes of its own has no room for an expression in braces.
  if (isExpression(reference) && !snippet.includes('"${src}"')) return inHtml(reference, 'mdx');
  return snippet.replace(/"\$\{src\}"|\$\{(src|title)\}/g, (whole, name) => {
    if (whole.startsWith('"')) return isExpression(reference) ? source(reference) : `"${parenthesised(reference)}"`;
    return name === 'src' ? parenthesised(reference) : escapeAttribute(reference.title);
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
  return encoded.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

/** Encodes brackets, because one would end the address of an AsciiDoc macro. */
function withoutBrackets(encoded: string): string {
  return encoded.replace(/[[\]]/g, (bracket) => (bracket === '[' ? '%5B' : '%5D'));
}

function inHtml(reference: Reference, language: Language): string {
  const { kind } = reference;
  const address = source(reference);
  const text = escapeAttribute(reference.title);
  switch (kind) {
    case 'images':
      return `<img src=${address} alt="${text}"${language === 'jsx' || language === 'mdx' ? ' />' : '>'}`;
    case 'speech':
      return `<audio controls src=${address} title="${text}"></audio>`;
    case 'videos':
      return `<video controls src=${address} title="${text}"></video>`;
    case 'transcripts':
      return `<a href=${address}>${language === 'html' ? escapePageTitle(reference.title) : text}</a>`;
  }
}

/** Returns the value of an attribute, with its quotes or braces. */
function source(reference: Reference): string {
  const { path, wrapper } = reference;
  if (wrapper === 'require') return `{require('${plainRow(path).replace(/['\\]/g, '\\$&')}').default}`;
  if (wrapper === 'moduleUrl') return `{new URL('${encodePath(path)}', import.meta.url).href}`;
  return wrapper === 'relativeUrl'
    ? `"${addressOf(reference)}"`
    : `"${escapeAttribute(plainRow(addressOf(reference)))}"`;
}

function isExpression({ wrapper }: Reference): boolean {
  return wrapper === 'require' || wrapper === 'moduleUrl';
}

/** Returns the encoded address. On a site below a path, Liquid puts that path in front. */
function addressOf({ path, wrapper }: Reference): string {
  return wrapper === 'relativeUrl' ? `{{ '${encodePath(path)}' | relative_url }}` : encodePath(path);
}

function asciidocMacro(reference: Reference, title: PlainLine): string {
  const address = withoutBrackets(addressOf(reference));
  if (reference.kind === 'images') return `image::${address}[${escapeAsciidocValue(title)}]`;
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
