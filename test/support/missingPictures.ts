/** What the missing picture shows. */
export const alt = 'A harbour at dawn';

interface MissingPicture {
  readonly files: Readonly<Record<string, string>>;
  readonly document: string;
  /** Text with the reference between « and ». */
  readonly text: string;
  /** Path at which the framework looks for the file. */
  readonly file: string;
  /** Name in the title of the quick fix, if it differs from `file`. */
  readonly name?: string;
}

const markdown = (href: string) => `# Boats\n\n![${alt}](«${href}»)\n`;
const tag = (href: string) => `<img src="«${href}»" alt="${alt}">\n`;
const dependsOn = (name: string) => JSON.stringify({ dependencies: { [name]: '1' } });

/** Documents of sites that refer to a missing picture, by the site's framework. */
export const missingPictures: Readonly<Record<string, MissingPicture>> = {
  docusaurus: {
    files: { 'docusaurus.config.js': 'export default {}' },
    document: 'docs/boats.md',
    text: markdown('/img/hero.png'),
    file: 'static/img/hero.png',
  },
  'docusaurus-beside': {
    files: { 'docusaurus.config.js': 'export default {}' },
    document: 'docs/boats.md',
    text: markdown('./hero.png'),
    file: 'docs/hero.png',
  },
  'docusaurus-outside': {
    files: {
      'website/docusaurus.config.js': "export default { presets: [['classic', { docs: { path: '../docs' } }]] }",
    },
    document: 'docs/boats.md',
    text: markdown('/img/hero.png'),
    file: 'website/static/img/hero.png',
    name: 'static/img/hero.png',
  },
  vitepress: {
    files: { '.vitepress/config.ts': 'export default {}' },
    document: 'guide/boats.md',
    text: markdown('/hero.png'),
    file: 'public/hero.png',
  },
  astro: {
    files: { 'astro.config.mjs': 'export default {}' },
    document: 'src/content/boats.md',
    text: markdown('./hero.png'),
    file: 'src/content/hero.png',
  },
  'astro-public': {
    files: { 'astro.config.mjs': 'export default {}' },
    document: 'src/pages/boats.astro',
    text: `---\nconst title = 'Boats';\n---\n${tag('/hero.png')}`,
    file: 'public/hero.png',
  },
  next: {
    files: { 'next.config.mjs': "export default { basePath: '/shop' }", 'package.json': dependsOn('next') },
    document: 'app/page.tsx',
    text: `export const Page = () => <img src="«/shop/hero.png»" alt="${alt}" />;\n`,
    file: 'public/hero.png',
  },
  vite: {
    files: { 'vite.config.ts': 'export default {}' },
    document: 'src/App.tsx',
    text: `export const App = () => <img src="«/hero.png»" alt="${alt}" />;\n`,
    file: 'public/hero.png',
  },
  'vite-vue': {
    files: { 'vite.config.ts': 'export default {}' },
    document: 'src/App.vue',
    text: `<template>\n  ${tag('./assets/hero.png')}</template>\n`,
    file: 'src/assets/hero.png',
  },
  sveltekit: {
    files: { 'svelte.config.js': 'export default {}', 'package.json': dependsOn('@sveltejs/kit') },
    document: 'src/routes/+page.svelte',
    text: tag('/hero.png'),
    file: 'static/hero.png',
  },
  nuxt: {
    files: { 'nuxt.config.ts': 'export default {}' },
    document: 'pages/index.vue',
    text: `<template>\n  ${tag('~/assets/hero.png')}</template>\n`,
    file: 'assets/hero.png',
  },
  gatsby: {
    files: { 'gatsby-config.js': 'module.exports = {}' },
    document: 'src/pages/index.tsx',
    text: `export const Page = () => <img src="«/hero.png»" alt="${alt}" />;\n`,
    file: 'static/hero.png',
  },
  angular: {
    files: {
      'angular.json': JSON.stringify({
        projects: { app: { root: '', architect: { build: { options: { assets: ['src/assets'] } } } } },
      }),
    },
    document: 'src/app/app.component.html',
    text: tag('assets/hero.png'),
    file: 'src/assets/hero.png',
  },
  hugo: {
    files: { 'hugo.toml': "baseURL = 'https://example.org/'\n" },
    document: 'content/boats.md',
    text: `---\ntitle: Boats\n---\n\n![${alt}](«/images/hero.png»)\n`,
    file: 'static/images/hero.png',
  },
  'hugo-bundle': {
    files: { 'hugo.toml': "baseURL = 'https://example.org/'\n" },
    document: 'content/boats/index.md',
    text: markdown('hero.png'),
    file: 'content/boats/hero.png',
  },
  jekyll: {
    files: { '_config.yml': 'title: Boats\n', Gemfile: 'gem "jekyll"\n' },
    document: '_posts/2026-01-01-boats.md',
    text: `---\ntitle: Boats\n---\n\n![${alt}](«/assets/hero.png»)\n`,
    file: 'assets/hero.png',
  },
  hexo: {
    files: { '_config.yml': 'title: Boats\n', 'package.json': dependsOn('hexo') },
    document: 'source/_posts/boats.md',
    text: markdown('/images/hero.png'),
    file: 'source/images/hero.png',
  },
  eleventy: {
    files: {
      'eleventy.config.js': "export default (config) => { config.addPassthroughCopy('img'); }",
    },
    document: 'posts/boats.md',
    text: markdown('/img/hero.png'),
    file: 'img/hero.png',
  },
  mkdocs: {
    files: { 'mkdocs.yml': 'site_name: Boats\n' },
    document: 'docs/guide/boats.md',
    text: markdown('../img/hero.png'),
    file: 'docs/img/hero.png',
  },
  sphinx: {
    files: { 'conf.py': '', 'index.rst': '' },
    document: 'guide/boats.rst',
    text: `Boats\n=====\n\n.. image:: «/img/hero.png»\n   :alt: ${alt}\n`,
    file: 'img/hero.png',
  },
  antora: {
    files: { 'antora.yml': 'name: boats\n' },
    document: 'modules/ROOT/pages/boats.adoc',
    text: `= Boats\n\nimage::«hero.png»[${alt}]\n`,
    file: 'modules/ROOT/images/hero.png',
  },
  asciidoc: {
    files: {},
    document: 'boats.adoc',
    text: `= Boats\n:imagesdir: pictures\n\nimage::«hero.png»[${alt}]\n`,
    file: 'pictures/hero.png',
  },
  mdbook: {
    files: { 'book.toml': '[book]\n' },
    document: 'src/boats.md',
    text: markdown('img/hero.png'),
    file: 'src/img/hero.png',
  },
  quarto: {
    files: { '_quarto.yml': 'project:\n  type: website\n' },
    document: 'posts/boats.qmd',
    text: markdown('hero.png'),
    file: 'posts/hero.png',
  },
  latex: {
    files: {},
    document: 'boats.tex',
    text: `\\graphicspath{{figures/}}\n\\begin{document}\n\\includegraphics[alt={${alt}}]{«hero.png»}\n\\end{document}\n`,
    file: 'figures/hero.png',
  },
  repository: {
    files: { '.git/HEAD': 'ref: refs/heads/main\n' },
    document: 'docs/boats.md',
    text: markdown('../img/hero.png'),
    file: 'img/hero.png',
  },
};
