import type { AssetKind } from '../../operations/operations.ts';

export interface Reference {
  /** From the document to the file, with forward slashes. */
  readonly path: string;
  readonly kind: AssetKind;
  /** What it shows or says: the prompt, or the file's name. */
  readonly title: string;
}

/** The snippets that Markdown users have set for sound and video, with `${src}` and `${title}`. */
export interface MarkdownSnippets {
  readonly audio: string;
  readonly video: string;
}

const html = ['html', 'vue', 'svelte', 'astro', 'handlebars', 'php', 'razor', 'erb', 'twig'];
const jsx = ['javascriptreact', 'typescriptreact', 'mdx'];
const markdown = ['markdown', 'quarto', 'rmd'];
const styles = ['css', 'scss', 'less', 'sass', 'stylus', 'postcss'];

/** What is written into a document of a language to show or link a file; the bare path where no form is known. */
export function formatReference(languageId: string, reference: Reference, snippets: MarkdownSnippets): string {
  const { kind, path } = reference;
  if (markdown.includes(languageId)) return inMarkdown(reference, snippets);
  if (html.includes(languageId) || jsx.includes(languageId)) return inHtml(reference, jsx.includes(languageId));
  if (styles.includes(languageId)) return `url("${encodePath(path)}")`;
  const title = reference.title.replace(/\s+/g, ' ');
  switch (languageId) {
    case 'latex':
    case 'tex':
      return kind === 'images' ? `\\includegraphics{${path}}` : `\\href{${path}}{${inLatex(title)}}`;
    case 'asciidoc':
      return kind === 'transcripts' ? `link:${encodePath(path)}[${brackets(title)}]` : asciidocMacro(kind, path, title);
    case 'restructuredtext':
      return kind === 'images'
        ? `.. image:: ${encodePath(path)}\n   :alt: ${title}`
        : `\`${title.replace(/[`<>]/g, '')} <${encodePath(path)}>\`_`;
    default:
      return path;
  }
}

function inMarkdown({ kind, path, title }: Reference, snippets: MarkdownSnippets): string {
  const text = title.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');
  const address = encodePath(path).replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
  if (kind === 'images') return `![${text}](${address})`;
  if (kind === 'transcripts') return `[${text}](${address})`;
  const snippet = kind === 'videos' ? snippets.video : snippets.audio;
  return snippet.replace(/\$\{(src|title)\}/g, (_, name) => (name === 'src' ? address : attribute(title)));
}

function inHtml({ kind, path, title }: Reference, closesAlways: boolean): string {
  const address = attribute(encodePath(path));
  const text = attribute(title);
  switch (kind) {
    case 'images':
      return `<img src="${address}" alt="${text}"${closesAlways ? ' />' : '>'}`;
    case 'speech':
      return `<audio controls src="${address}" title="${text}"></audio>`;
    case 'videos':
      return `<video controls src="${address}" title="${text}"></video>`;
    case 'transcripts':
      return `<a href="${address}">${text}</a>`;
  }
}

function asciidocMacro(kind: AssetKind, path: string, title: string): string {
  if (kind === 'images') return `image::${encodePath(path)}[${brackets(title)}]`;
  return `${kind === 'videos' ? 'video' : 'audio'}::${encodePath(path)}[]`;
}

/** A backslash before these three would break the line or put an accent on what follows. */
const latexNames: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

function inLatex(text: string): string {
  return text.replace(/[\\{}%#$&_^~]/g, (character) => latexNames[character] ?? `\\${character}`);
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
