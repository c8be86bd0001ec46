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

const byExtension: Readonly<Record<string, Language>> = {
  md: 'markdown',
  markdown: 'markdown',
  qmd: 'markdown',
  rmd: 'markdown',
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
