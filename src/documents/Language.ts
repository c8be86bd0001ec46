import type { ReferenceForm } from './MediaReference.ts';

/** By VS Code's ids. */
const byId = {
  markdown: 'markdown',
  quarto: 'markdown',
  rmd: 'markdown',
  mdx: 'mdx',
  html: 'html',
  'vue-html': 'html',
  handlebars: 'html',
  php: 'html',
  razor: 'html',
  erb: 'html',
  twig: 'html',
  javascript: 'jsx',
  javascriptreact: 'jsx',
  typescriptreact: 'jsx',
  typescript: 'script',
  vue: 'vue',
  svelte: 'svelte',
  astro: 'astro',
  css: 'css',
  postcss: 'css',
  scss: 'scss',
  sass: 'scss',
  less: 'scss',
  stylus: 'scss',
  latex: 'latex',
  tex: 'latex',
  asciidoc: 'asciidoc',
  restructuredtext: 'restructuredtext',
  gdscript: 'gdscript',
  dart: 'dart',
} as const;

/** Languages in which references to media are found and written. The form for `other` is unknown. */
export type Language = (typeof byId)[keyof typeof byId] | 'other';

export const languageIds = Object.keys(byId);

const inTag = ['<!-- ', ' -->'] as const;
const inBraces = ['{/* ', ' */}'] as const;

/** How each language is written. How it is read is in `findReferences.ts`. */
export const languages: Readonly<
  Record<
    Language,
    {
      /** What stands around a comment on one line; undefined in a language without comments in its text. */
      readonly comment?: readonly [string, string];
      /** Whether a comment must start a line and extend to its end. */
      readonly hasLineComments?: true;
      /** The forms of references to a picture, to a sound or video, and to another file; by default tags. */
      readonly forms?: readonly [ReferenceForm, ReferenceForm, ReferenceForm];
      /** The form of a reference to a sound or video that stands beside other text, if it is another one. */
      readonly formInLine?: ReferenceForm;
      /** Whether an element without content is closed. */
      readonly closesElements?: true;
      /** Whether addresses are paths, which are not encoded like URLs. */
      readonly hasPaths?: true;
    }
  >
> = {
  markdown: { comment: inTag, forms: ['inline', 'tag', 'inline'] },
  mdx: { comment: inBraces, forms: ['inline', 'tag', 'inline'], closesElements: true },
  html: { comment: inTag },
  jsx: { comment: inBraces, closesElements: true },
  script: {},
  vue: { comment: inTag },
  svelte: { comment: inTag },
  astro: { comment: inTag },
  css: { forms: ['style', 'style', 'style'] },
  scss: { forms: ['style', 'style', 'style'] },
  latex: { comment: ['% ', ''], hasLineComments: true, forms: ['macro', 'inline', 'inline'], hasPaths: true },
  // AsciiDoc has no player that stands beside other text.
  asciidoc: { comment: ['// ', ''], hasLineComments: true, forms: ['macro', 'macro', 'inline'], formInLine: 'inline' },
  restructuredtext: { comment: ['.. ', ''], hasLineComments: true, forms: ['macro', 'inline', 'inline'] },
  gdscript: { hasPaths: true },
  dart: { hasPaths: true },
  other: {},
};

const byExtension: Readonly<Record<string, Language>> = {
  md: 'markdown',
  markdown: 'markdown',
  qmd: 'markdown',
  rmd: 'markdown',
  // mdsvex
  svx: 'markdown',
  mdx: 'mdx',
  html: 'html',
  htm: 'html',
  hbs: 'html',
  erb: 'html',
  twig: 'html',
  njk: 'html',
  liquid: 'html',
  js: 'jsx',
  mjs: 'jsx',
  cjs: 'jsx',
  jsx: 'jsx',
  tsx: 'jsx',
  ts: 'script',
  mts: 'script',
  cts: 'script',
  vue: 'vue',
  svelte: 'svelte',
  astro: 'astro',
  css: 'css',
  pcss: 'css',
  scss: 'scss',
  sass: 'scss',
  less: 'scss',
  styl: 'scss',
  tex: 'latex',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  asc: 'asciidoc',
  rst: 'restructuredtext',
  gd: 'gdscript',
  tscn: 'gdscript',
  tres: 'gdscript',
  dart: 'dart',
};

/** Extensions of the documents in these languages. */
export function extensionsIn(isMeant: (language: Language) => boolean): readonly string[] {
  return Object.entries(byExtension).flatMap(([extension, language]) => (isMeant(language) ? [extension] : []));
}

/**
 * Returns the language of a document. VS Code itself does not know MDX, Vue, Svelte, Astro and AsciiDoc, so the file
 * extension decides if no extension for them is installed. An MDX file that is opened as Markdown remains MDX.
 *
 * @param languageId VS Code's language id
 */
export function languageOf(languageId: string, path = ''): Language {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const named = Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
  const ids: Readonly<Record<string, Language>> = byId;
  const known = Object.hasOwn(ids, languageId) ? ids[languageId] : undefined;
  if (known === 'markdown' && named === 'mdx') return 'mdx';
  return known ?? named ?? 'other';
}
