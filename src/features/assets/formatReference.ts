import type { Language } from '../../documents/Language.ts';
import { languageOf } from '../../documents/Language.ts';
import type { ReferenceForm } from '../../documents/MediaReference.ts';
import { escapeLatex } from '../../documents/print/escapeLatex.ts';
import type { AssetKind } from '../../operations/operations.ts';
import type { Wrapper } from '../../places/Project.ts';

export interface Reference {
  /** The address of the file from the document, with forward slashes and nothing encoded. */
  readonly path: string;
  readonly kind: AssetKind;
  /** What it shows or says: the prompt, or the file's name. */
  readonly title: string;
  /** What has to stand around the address in the document's project. */
  readonly wrapper?: Wrapper | undefined;
}

/** The snippets that Markdown users have set for sound and video, with `${src}` and `${title}`. */
export interface MarkdownSnippets {
  readonly audio: string;
  readonly video: string;
}

const html: readonly Language[] = ['html', 'vue', 'svelte', 'astro', 'jsx'];

/** The language in which a reference is written. JavaScript may hold JSX, but most of it does not. */
export function languageToWrite(languageId: string, path = ''): Language {
  return languageId === 'javascript' ? 'script' : languageOf(languageId, path);
}

/** The form that {@link formatReference} gives a reference. */
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

/** What is written into a document of a language to show or link a file; the bare path where no form is known. */
export function formatReference(language: Language, reference: Reference, snippets: MarkdownSnippets): string {
  const { kind, path } = reference;
  if (language === 'markdown') return inMarkdown(reference, snippets);
  if (language === 'mdx')
    return formToWrite(language, kind) === 'inline' ? inline(reference, /[\\[\]`<{]/g) : inHtml(reference, true);
  if (html.includes(language)) return inHtml(reference, language === 'jsx');
  const title = reference.title.replace(/\s+/g, ' ');
  switch (language) {
    case 'css':
    case 'scss':
      return `url("${addressOf(reference)}")`;
    case 'latex':
      return kind === 'images' ? `\\includegraphics{${path}}` : `\\href{${path}}{${escapeLatex(title)}}`;
    case 'asciidoc':
      return kind === 'transcripts'
        ? `link:${addressOf(reference)}[${brackets(title)}]`
        : asciidocMacro(reference, title);
    case 'restructuredtext':
      return kind === 'images'
        ? `.. image:: ${addressOf(reference)}\n   :alt: ${title}`
        : `\`${title.replace(/[`<>]/g, '')} <${addressOf(reference)}>\`_`;
    default:
      return path;
  }
}

/**
 * An address as it stands in a reference, without what is around it.
 *
 * @returns undefined for one that cannot stand there
 */
export function hrefIn(language: Language, form: ReferenceForm, path: string): string | undefined {
  if (['latex', 'gdscript', 'dart'].includes(language)) return path;
  // Bundlers take it for a path.
  if (form === 'module') return /['"\\`]/.test(path) ? undefined : path;
  const encoded = encodePath(path);
  return form === 'tag' ? encoded.replace(/&/g, '&amp;') : withoutParentheses(encoded);
}

function inMarkdown(reference: Reference, snippets: MarkdownSnippets): string {
  if (formToWrite('markdown', reference.kind) === 'inline') return inline(reference, /[\\[\]`]|<(?=[a-z/!?])/gi);
  const snippet = reference.kind === 'videos' ? snippets.video : snippets.audio;
  // A snippet has its own quotes; an expression stands in braces instead.
  if (isExpression(reference) && !snippet.includes('"${src}"')) return inHtml(reference, true);
  return snippet.replace(/"\$\{src\}"|\$\{(src|title)\}/g, (whole, name) => {
    if (whole.startsWith('"')) return isExpression(reference) ? source(reference) : `"${parenthesised(reference)}"`;
    return name === 'src' ? parenthesised(reference) : attribute(reference.title);
  });
}

/** @param markup characters of the title that would be markup, so they get a backslash */
function inline(reference: Reference, markup: RegExp): string {
  const text = reference.title.replace(/\s+/g, ' ').replace(markup, '\\$&');
  return `${reference.kind === 'images' ? '!' : ''}[${text}](${parenthesised(reference)})`;
}

/** An address that no parenthesis ends. */
function parenthesised(reference: Reference): string {
  const encoded = addressOf(reference);
  if (reference.wrapper !== undefined) return encoded;
  return withoutParentheses(encoded);
}

function withoutParentheses(encoded: string): string {
  return encoded.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

function inHtml(reference: Reference, closesAlways: boolean): string {
  const { kind } = reference;
  const address = source(reference);
  const text = attribute(reference.title);
  switch (kind) {
    case 'images':
      return `<img src=${address} alt="${text}"${closesAlways ? ' />' : '>'}`;
    case 'speech':
      return `<audio controls src=${address} title="${text}"></audio>`;
    case 'videos':
      return `<video controls src=${address} title="${text}"></video>`;
    case 'transcripts':
      return `<a href=${address}>${text}</a>`;
  }
}

/** The value of an attribute, with its quotes or braces. */
function source(reference: Reference): string {
  const { path, wrapper } = reference;
  if (wrapper === 'require') return `{require('${path.replace(/['\\]/g, '\\$&')}').default}`;
  if (wrapper === 'moduleUrl') return `{new URL('${encodePath(path)}', import.meta.url).href}`;
  return wrapper === 'relativeUrl' ? `"${addressOf(reference)}"` : `"${attribute(addressOf(reference))}"`;
}

function isExpression({ wrapper }: Reference): boolean {
  return wrapper === 'require' || wrapper === 'moduleUrl';
}

/** The address, encoded; where a site lies below a path, Liquid puts that in front. */
function addressOf({ path, wrapper }: Reference): string {
  return wrapper === 'relativeUrl' ? `{{ '${encodePath(path)}' | relative_url }}` : encodePath(path);
}

function asciidocMacro(reference: Reference, title: string): string {
  const address = addressOf(reference);
  if (reference.kind === 'images') return `image::${address}[${brackets(title)}]`;
  return `${reference.kind === 'videos' ? 'video' : 'audio'}::${address}[]`;
}

function brackets(text: string): string {
  return text.replace(/\]/g, '\\]');
}

function attribute(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/"/g, '&quot;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[{}]/g, (brace) => (brace === '{' ? '&#123;' : '&#125;'));
}

/** Letters of any script stay readable; what ends an address in one of the languages does not. */
function encodePath(path: string): string {
  return path.replace(/[\s"'#%<>?\\^`{|}]/g, (character) => encodeURIComponent(character).replace("'", '%27'));
}
