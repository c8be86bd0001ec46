import assert from 'node:assert/strict';
import type { ReferenceForm } from '../../../src/documents/MediaReference.ts';
import { RealProject } from './realProject.ts';

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Document, form, address, and the path that it resolves to. */
  readonly resolves: readonly (readonly [string, ReferenceForm, string, string | undefined])[];
  /** Document, form, file, address and wrapper; `!` when the file is not served. */
  readonly writes: readonly (readonly [string, ReferenceForm, string, string, string?])[];
  /** Document and the folder for new images. */
  readonly folders?: readonly (readonly [string, string | undefined])[];
}

const manifest = (name: string) => JSON.stringify({ dependencies: { [name]: '1.0.0' } });

const rows: readonly Row[] = [
  {
    name: 'Docusaurus',
    files: {
      'website/docusaurus.config.ts': "export default { baseUrl: '/project/', themeConfig: { image: 'x.png' } };",
      'website/static/img/there.png': '',
      'website/docs/beside.png': '',
    },
    resolves: [
      ['website/docs/a.md', 'inline', '/img/x.png', 'website/static/img/x.png'],
      ['website/docs/a.md', 'inline', '/img/there.png', 'website/static/img/there.png'],
      ['website/docs/a.md', 'inline', './x.png', 'website/docs/x.png'],
      ['website/docs/a.md', 'inline', '@site/static/img/x.png', 'website/static/img/x.png'],
      ['website/docs/a.md', 'tag', '/project/img/x.png', 'website/static/img/x.png'],
      ['website/docs/a.md', 'tag', './x.mp3', undefined],
      ['website/docs/a.md', 'tag', './beside.png', 'website/docs/beside.png'],
      ['website/docs/a.mdx', 'module', './x.mp3', 'website/docs/x.mp3'],
      ['website/docs/a.md', 'frontMatter', 'img/there.png', 'website/static/img/there.png'],
      ['website/README.md', 'inline', 'static/img/x.png', 'website/static/img/x.png'],
    ],
    writes: [
      ['website/docs/a.md', 'inline', 'website/static/img/x.png', '/img/x.png'],
      ['website/docs/guide/a.md', 'inline', 'website/docs/x.png', '../x.png'],
      ['website/docs/a.md', 'inline', 'website/docs/x.png', './x.png'],
      ['website/docs/a.mdx', 'tag', 'website/static/x.mp3', '/project/x.mp3'],
      ['website/docs/a.mdx', 'tag', 'website/docs/x.mp3', './x.mp3', 'require'],
      ['website/src/pages/index.tsx', 'tag', 'website/static/x.png', '/project/x.png'],
      ['website/README.md', 'inline', 'website/static/img/x.png', 'static/img/x.png'],
      ['README.md', 'inline', 'website/static/img/x.png', 'website/static/img/x.png'],
    ],
    folders: [
      ['website/docs/a.md', 'website/static/img'],
      ['README.md', undefined],
    ],
  },
  {
    name: 'Docusaurus detected by its package, with custom folders',
    files: {
      'package.json': manifest('@docusaurus/core'),
      'docusaurus.config.js':
        "module.exports = { staticDirectories: ['public', 'static'] /* staticDirectories: ['x'] */ };",
      'static/x.png': '',
    },
    resolves: [
      ['docs/a.md', 'inline', '/x.png', 'static/x.png'],
      ['docs/a.md', 'inline', '/y.png', 'public/y.png'],
    ],
    writes: [['docs/a.md', 'inline', 'static/x.png', '/x.png']],
    folders: [['docs/a.md', 'public']],
  },
  {
    name: 'Docusaurus with pages outside the site folder',
    files: {
      'website/docusaurus.config.ts':
        "export default { baseUrl: '/x/', presets: [['classic', { docs: { path: '../docs' }, blog: { path: './blog' } }]] }",
      'website/static/img/x.png': '',
    },
    resolves: [
      ['docs/guide/a.md', 'inline', '/img/x.png', 'website/static/img/x.png'],
      ['docs/guide/a.md', 'inline', '@site/x.png', 'website/x.png'],
      ['docs/a.md', 'inline', './y.png', 'docs/y.png'],
      ['website/blog/a.md', 'inline', '/y.png', 'website/static/y.png'],
      ['other/a.md', 'inline', '/img/x.png', 'img/x.png'],
    ],
    writes: [
      ['docs/guide/a.md', 'inline', 'website/static/img/x.png', '/img/x.png'],
      ['docs/guide/a.mdx', 'tag', 'website/static/x.mp3', '/x/x.mp3'],
      ['other/a.md', 'inline', 'website/static/img/x.png', '../website/static/img/x.png'],
      ['README.md', 'inline', 'website/static/img/x.png', 'website/static/img/x.png'],
    ],
    folders: [['docs/a.md', 'website/static/img']],
  },
  {
    name: 'VitePress',
    files: { 'docs/.vitepress/config.mts': "export default { base: '/x/', srcDir: './src' }", 'docs/src/a.md': '' },
    resolves: [
      ['docs/src/a.md', 'inline', '/x.png', 'docs/src/public/x.png'],
      ['docs/src/guide/a.md', 'tag', './x.png', 'docs/src/guide/x.png'],
      ['docs/src/index.md', 'frontMatter', '/hero.png', 'docs/src/public/hero.png'],
    ],
    writes: [
      ['docs/src/guide/a.md', 'inline', 'docs/src/public/x.png', '/x.png'],
      ['docs/src/guide/a.md', 'inline', 'docs/src/guide/x.png', './x.png'],
      ['docs/src/guide/a.md', 'tag', 'docs/src/x.mp4', '../x.mp4'],
    ],
    folders: [['docs/src/a.md', 'docs/src/public']],
  },
  {
    name: 'VuePress',
    files: { 'docs/.vuepress/config.js': '' },
    resolves: [['docs/a.md', 'inline', '/x.png', 'docs/.vuepress/public/x.png']],
    writes: [['docs/a.md', 'inline', 'docs/.vuepress/public/img/x.png', '/img/x.png']],
  },
  {
    name: 'Astro',
    files: {
      'astro.config.mjs': "export default defineConfig({ base: 'docs' })",
      'tsconfig.json': '{ "compilerOptions": { "paths": { "~/*": ["./src/*"], } } } // x',
    },
    resolves: [
      ['src/content/docs/a.md', 'inline', './x.png', 'src/content/docs/x.png'],
      ['src/content/docs/a.md', 'inline', '~/assets/x.png', 'src/assets/x.png'],
      ['src/content/docs/a.md', 'inline', '/docs/x.png', 'public/x.png'],
      ['src/content/docs/a.md', 'frontMatter', '../../assets/x.png', 'src/assets/x.png'],
      ['src/pages/a.astro', 'tag', './x.png', undefined],
      ['src/pages/a.astro', 'module', '../x.png', 'src/x.png'],
    ],
    writes: [
      ['src/content/docs/a.md', 'inline', 'src/content/docs/x.png', './x.png'],
      ['src/content/docs/a.md', 'inline', 'public/x.png', '/docs/x.png'],
      ['src/pages/a.astro', 'tag', 'public/x.png', '/docs/x.png'],
      ['src/pages/a.astro', 'tag', 'src/assets/x.png', '../assets/x.png', '!'],
    ],
    folders: [['src/pages/a.astro', 'public']],
  },
  {
    name: 'Next',
    files: {
      'web/package.json': manifest('next'),
      'web/next.config.js': "module.exports = { basePath: '/shop' }",
      'web/public/images/.keep': '',
    },
    resolves: [
      ['web/app/page.tsx', 'tag', '/shop/x.png', 'web/public/x.png'],
      ['web/app/page.tsx', 'tag', '/x.png', 'web/public/x.png'],
      ['web/app/page.tsx', 'module', './x.png', 'web/app/x.png'],
      ['web/app/page.tsx', 'module', 'package/x.png', undefined],
      ['web/content/a.mdx', 'inline', '/shop/x.png', 'web/public/x.png'],
      ['web/docs/a.md', 'inline', 'x.png', 'web/docs/x.png'],
      ['web/app/page.css', 'style', './x.png', 'web/app/x.png'],
    ],
    writes: [
      ['web/app/page.tsx', 'tag', 'web/public/images/x.png', '/shop/images/x.png'],
      ['web/app/page.tsx', 'tag', 'web/app/x.png', 'x.png', '!'],
      ['web/app/page.css', 'style', 'web/public/x.png', '/shop/x.png'],
      ['web/README.md', 'inline', 'web/public/x.png', 'public/x.png'],
    ],
    folders: [['web/app/page.tsx', 'web/public/images']],
  },
  {
    name: 'Nextra',
    files: { 'package.json': JSON.stringify({ dependencies: { next: '15', nextra: '4' } }) },
    resolves: [['content/a.mdx', 'inline', './x.png', 'content/x.png']],
    writes: [['content/a.mdx', 'inline', 'content/x.png', './x.png']],
  },
  {
    name: 'Vite',
    files: {
      'vite.config.ts':
        "export default { base: '/app/', publicDir: 'pub', resolve: { alias: { '@': path.resolve(__dirname, './src') } } }",
      'src/assets/there.png': '',
    },
    resolves: [
      ['src/App.tsx', 'tag', '/app/x.png', 'pub/x.png'],
      ['src/App.vue', 'tag', '@/assets/x.png', 'src/assets/x.png'],
      ['src/App.vue', 'tag', './x.png', 'src/x.png'],
      ['src/App.tsx', 'tag', '../x.png', undefined],
      ['index.html', 'tag', '/src/assets/there.png', 'src/assets/there.png'],
      ['src/App.css', 'style', '../x.png', 'x.png'],
      ['src/App.tsx', 'module', '/x.svg', 'pub/x.svg'],
    ],
    writes: [
      ['src/App.tsx', 'tag', 'pub/x.png', '/app/x.png'],
      ['src/App.tsx', 'tag', 'src/x.png', './x.png', 'moduleUrl'],
      ['src/App.vue', 'tag', 'pub/x.png', '/x.png'],
      ['src/App.vue', 'tag', 'src/assets/x.png', './assets/x.png'],
      ['src/App.css', 'style', 'src/assets/x.png', './assets/x.png'],
      ['index.html', 'tag', 'pub/x.png', '/x.png'],
      ['pub/page.html', 'tag', 'pub/img/x.png', './img/x.png'],
      ['docs/a.md', 'inline', 'pub/x.png', '../pub/x.png'],
    ],
    folders: [['src/App.tsx', 'pub/img']],
  },
  {
    name: 'Slidev',
    files: { 'package.json': manifest('@slidev/cli'), 'slides.md': '' },
    resolves: [['slides.md', 'inline', '/x.png', 'public/x.png']],
    writes: [['slides.md', 'inline', 'public/x.png', '/x.png']],
  },
  {
    name: 'SvelteKit',
    files: {
      'svelte.config.js': "export default { kit: { paths: { base: '/docs' } } }",
      'vite.config.ts': '',
      'package.json': manifest('@sveltejs/kit'),
    },
    resolves: [
      ['src/routes/+page.svelte', 'tag', '/docs/x.png', 'static/x.png'],
      ['src/routes/+page.svelte', 'module', '$lib/x.png', 'src/lib/x.png'],
    ],
    writes: [['src/routes/+page.svelte', 'tag', 'static/img/x.png', '/docs/img/x.png']],
    folders: [['src/routes/+page.svelte', 'static/img']],
  },
  {
    name: 'Nuxt',
    files: { 'nuxt.config.ts': 'export default {}', 'app/app.vue': '' },
    resolves: [
      ['app/pages/index.vue', 'tag', '~/assets/x.png', 'app/assets/x.png'],
      ['app/pages/index.vue', 'tag', '~~/x.png', 'x.png'],
      ['app/pages/index.vue', 'tag', '/x.png', 'public/x.png'],
      ['content/a.md', 'inline', '/x.png', 'public/x.png'],
    ],
    writes: [
      ['app/pages/index.vue', 'tag', 'public/x.png', '/x.png'],
      ['app/pages/index.vue', 'tag', 'app/assets/x.png', '../assets/x.png'],
    ],
  },
  {
    name: 'Nuxt 2',
    files: { 'nuxt.config.js': '', 'static/x.png': '' },
    resolves: [['pages/index.vue', 'tag', '@/assets/x.png', 'assets/x.png']],
    writes: [['pages/index.vue', 'tag', 'static/x.png', '/x.png']],
  },
  {
    name: 'Gatsby',
    files: { 'gatsby-config.ts': '' },
    resolves: [
      ['content/a.md', 'inline', './x.png', 'content/x.png'],
      ['src/pages/index.js', 'tag', '/x.png', 'static/x.png'],
    ],
    writes: [
      ['content/a.md', 'inline', 'static/x.png', '/x.png'],
      ['content/a.md', 'inline', 'content/x.png', './x.png'],
    ],
  },
  {
    name: 'Angular',
    files: {
      'angular.json': JSON.stringify({
        projects: {
          old: {
            root: '',
            sourceRoot: 'src',
            architect: { build: { options: { assets: ['src/favicon.ico', 'src/assets'] } } },
          },
          shop: {
            root: 'projects/shop',
            sourceRoot: 'projects/shop/src',
            architect: { build: { options: { assets: [{ glob: '**/*', input: 'projects/shop/public' }] } } },
          },
        },
      }),
    },
    resolves: [
      ['src/app/app.component.html', 'tag', 'assets/x.png', 'src/assets/x.png'],
      ['src/app/app.component.html', 'tag', '/assets/x.png', 'src/assets/x.png'],
      ['projects/shop/src/a.html', 'tag', 'x.png', 'projects/shop/public/x.png'],
    ],
    writes: [
      ['src/app/app.component.html', 'tag', 'src/assets/img/x.png', 'assets/img/x.png'],
      ['projects/shop/src/a.html', 'tag', 'projects/shop/public/x.png', 'x.png'],
    ],
  },
  {
    name: 'Hugo',
    files: {
      'hugo.toml':
        "baseURL = 'https://example.org/blog/' # x\n[markup.goldmark.renderHooks.image]\nuseEmbedded = 'fallback'\n",
      'content/posts/fox/index.md': '',
      'content/posts/hen.md': '',
      'assets/there.png': '',
    },
    resolves: [
      ['content/posts/fox/index.md', 'inline', 'x.png', 'content/posts/fox/x.png'],
      ['content/posts/hen.md', 'inline', '/blog/images/x.png', 'static/images/x.png'],
      ['content/posts/hen.md', 'inline', '/images/x.png', 'static/images/x.png'],
      ['content/posts/hen.md', 'inline', 'x.png', 'static/posts/hen/x.png'],
      ['content/posts/hen.md', 'inline', '../x.png', 'static/posts/x.png'],
      ['content/posts/hen.md', 'inline', '/there.png', 'assets/there.png'],
      ['README.md', 'inline', 'x.png', 'x.png'],
    ],
    writes: [
      ['content/posts/fox/index.md', 'inline', 'content/posts/fox/x.png', 'x.png'],
      ['content/posts/fox/index.md', 'inline', 'static/images/x.png', '/blog/images/x.png'],
      ['content/posts/hen.md', 'inline', 'static/images/x.png', '/blog/images/x.png'],
      ['content/posts/hen.md', 'tag', 'content/posts/x.mp3', '/blog/posts/x.mp3'],
      ['content/posts/hen.md', 'inline', 'media/x.png', '../../media/x.png', '!'],
      ['static/style.css', 'style', 'static/x.png', 'x.png'],
    ],
    folders: [
      ['content/posts/fox/index.md', 'content/posts/fox'],
      ['content/posts/hen.md', 'static/images'],
    ],
  },
  {
    name: 'Hugo with a YAML configuration of the old name',
    files: { 'config.yaml': 'baseURL: https://example.org/\nstaticDir:\n  - files\n  - more\n', 'content/a.md': '' },
    resolves: [['content/a.md', 'inline', '/x.png', 'files/x.png']],
    writes: [['content/a.md', 'inline', 'more/x.png', '/x.png']],
  },
  {
    name: 'Jekyll',
    files: { '_config.yml': 'title: Foxes\n', '_posts/2026-01-01-fox.md': '', 'assets/img/.keep': '' },
    resolves: [
      ['_posts/2026-01-01-fox.md', 'inline', '/assets/x.png', 'assets/x.png'],
      ['_posts/2026-01-01-fox.md', 'inline', 'x.png', undefined],
      ['about.md', 'inline', 'x.png', 'x.png'],
    ],
    writes: [['_posts/2026-01-01-fox.md', 'inline', 'assets/img/x.png', '/assets/img/x.png']],
    folders: [['_posts/2026-01-01-fox.md', 'assets/img']],
  },
  {
    name: 'Jekyll with a base URL',
    files: { '_config.yml': 'baseurl: "/blog" # x\n', Gemfile: 'gem "jekyll"' },
    resolves: [['a.md', 'inline', '/assets/x.png', 'assets/x.png']],
    writes: [['a.md', 'inline', 'assets/x.png', '/assets/x.png', 'relativeUrl']],
  },
  {
    name: 'Hexo',
    files: { '_config.yml': 'root: /\n', 'package.json': manifest('hexo') },
    resolves: [['source/_posts/a.md', 'inline', '/images/x.png', 'source/images/x.png']],
    writes: [['source/_posts/a.md', 'inline', 'source/images/x.png', '/images/x.png']],
    folders: [['source/_posts/a.md', 'source/images']],
  },
  {
    name: 'Hexo with a folder per post',
    files: { '_config.yml': 'post_asset_folder: true\n', 'package.json': manifest('hexo') },
    resolves: [['source/_posts/a.md', 'inline', 'x.png', 'source/_posts/a/x.png']],
    writes: [['source/_posts/a.md', 'inline', 'source/images/x.png', '/images/x.png']],
    folders: [['source/_posts/a.md', 'source/_posts/a']],
  },
  {
    name: 'Eleventy',
    files: {
      'eleventy.config.js':
        "export default (c) => { c.addPassthroughCopy('src/img'); c.addPassthroughCopy({ './static': '/' }); return { dir: { input: 'src' } } }",
    },
    resolves: [
      ['src/posts/a.md', 'inline', '/img/x.png', 'src/img/x.png'],
      ['src/posts/a.md', 'inline', '../../img/x.png', 'src/img/x.png'],
    ],
    writes: [
      ['src/posts/a.md', 'inline', 'src/img/x.png', '/img/x.png'],
      ['src/posts/a.md', 'inline', 'static/x.png', '/x.png'],
    ],
  },
  {
    name: 'Eleventy with slashes around its input',
    files: { 'eleventy.config.js': "c.addPassthroughCopy('./src/img/'); return { dir: { input: './src/' } }" },
    resolves: [['src/posts/a.md', 'inline', '../../img/x.png', 'src/img/x.png']],
    writes: [['src/posts/a.md', 'inline', 'src/img/x.png', '/img/x.png']],
  },
  {
    name: 'MkDocs with slashes around its folder',
    files: { 'mkdocs.yml': 'docs_dir: ./manual/' },
    resolves: [['manual/guide/a.md', 'tag', '../../x.mp3', 'manual/x.mp3']],
    writes: [['manual/guide/a.md', 'tag', 'manual/img/x.png', '../../img/x.png']],
  },
  {
    name: 'Hugo with slashes around its folder',
    files: { 'hugo.toml': 'contentDir = "./pages/"' },
    resolves: [['pages/posts/a.md', 'inline', '../x.png', 'static/posts/x.png']],
    writes: [['pages/posts/a.md', 'inline', 'static/x.png', '/x.png']],
  },
  {
    name: 'Eleventy without literal passthrough copies',
    files: { '.eleventy.js': 'module.exports = (c) => c.addPassthroughCopy(folder)' },
    resolves: [['a.md', 'inline', 'x.png', 'x.png']],
    writes: [['a.md', 'inline', 'img/x.png', 'img/x.png']],
  },
  {
    name: 'MkDocs',
    files: { 'mkdocs.yml': 'site_name: x\ndocs_dir: manual\nmarkdown_extensions:\n  - x: !!python/name:y.z\n' },
    resolves: [
      ['manual/guide/a.md', 'inline', '../img/x.png', 'manual/img/x.png'],
      ['manual/guide/a.md', 'tag', '../../x.mp3', 'manual/x.mp3'],
      ['manual/index.md', 'tag', 'x.mp3', 'manual/x.mp3'],
    ],
    writes: [
      ['manual/guide/a.md', 'inline', 'manual/img/x.png', '../img/x.png'],
      ['manual/guide/a.md', 'tag', 'manual/guide/x.mp3', '../x.mp3'],
      ['manual/guide/index.md', 'tag', 'manual/guide/x.mp3', 'x.mp3'],
      ['README.md', 'inline', 'manual/img/x.png', 'manual/img/x.png'],
    ],
    folders: [['manual/a.md', 'manual']],
  },
  {
    name: 'Zensical',
    files: { 'zensical.toml': '[project]\ndocs_dir = "pages"\nuse_directory_urls = false\n' },
    resolves: [['pages/a.md', 'tag', 'x.mp3', 'pages/x.mp3']],
    writes: [['pages/a.md', 'tag', 'pages/x.mp3', 'x.mp3']],
  },
  {
    name: 'Sphinx',
    files: { 'docs/conf.py': '', 'docs/index.rst': '' },
    resolves: [
      ['docs/guide/a.rst', 'macro', '/img/x.png', 'docs/img/x.png'],
      ['docs/guide/a.rst', 'macro', '../img/x.png', 'docs/img/x.png'],
      ['docs/guide/a.rst', 'macro', 'x%20y.png', 'docs/guide/x y.png'],
    ],
    writes: [['docs/guide/a.rst', 'macro', 'docs/img/x.png', '../img/x.png']],
  },
  {
    name: 'Antora',
    files: { 'docs/antora.yml': '', 'docs/modules/ROOT/pages/a.adoc': '' },
    resolves: [['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'x.png', 'docs/modules/ROOT/images/x.png']],
    writes: [['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'docs/modules/ROOT/images/y/x.png', 'y/x.png']],
    folders: [['docs/modules/ROOT/pages/a.adoc', 'docs/modules/ROOT/images']],
  },
  {
    name: 'mdBook',
    files: { 'book.toml': '[book]\nsrc = "text"\n' },
    resolves: [['text/a.md', 'inline', '/x.png', 'text/x.png']],
    writes: [['text/deep/a.md', 'inline', 'text/x.png', '../x.png']],
  },
  {
    name: 'Quarto',
    files: { '_quarto.yml': 'project:\n  output-dir: docs\n' },
    resolves: [['a/b.qmd', 'inline', '/x.png', 'x.png']],
    writes: [['a/b.qmd', 'inline', 'x.png', '../x.png']],
  },
  {
    name: 'Godot',
    files: { 'game/project.godot': '' },
    resolves: [['game/scenes/a.gd', 'tag', 'res://art/x.png', 'game/art/x.png']],
    writes: [
      ['game/scenes/a.gd', 'tag', 'game/art/x.png', 'res://art/x.png'],
      ['game/README.md', 'inline', 'game/art/x.png', 'art/x.png'],
    ],
  },
  {
    name: 'Flutter',
    files: { 'pubspec.yaml': 'name: x\nflutter:\n  uses-material-design: true\n' },
    resolves: [['lib/main.dart', 'tag', 'assets/x.png', 'assets/x.png']],
    writes: [['lib/main.dart', 'tag', 'assets/x.png', 'assets/x.png']],
    folders: [['lib/main.dart', 'assets']],
  },
  {
    name: 'LaTeX',
    files: {
      'main.tex': '\\documentclass{book}',
      'chapters/a.tex': 'x',
      'img/there.jpg': '',
      'own/b.tex': '% !TeX root = ../main.tex\n',
    },
    resolves: [
      ['chapters/a.tex', 'macro', 'img/there', 'img/there.jpg'],
      ['chapters/a.tex', 'macro', 'img/x', 'img/x.png'],
      ['own/b.tex', 'macro', 'img/x.png', 'img/x.png'],
    ],
    writes: [
      ['chapters/a.tex', 'macro', 'img/x.png', 'img/x.png'],
      ['main.tex', 'macro', 'img/x.png', 'img/x.png'],
    ],
  },
  {
    name: 'no framework',
    files: { '.git/HEAD': '', 'docs/a.md': '' },
    resolves: [
      ['docs/a.md', 'inline', '/img/x.png', 'img/x.png'],
      ['docs/a.md', 'inline', '../img/x.png', 'img/x.png'],
      ['docs/a.html', 'tag', 'img\\x.png', 'docs/img/x.png'],
      ['docs/a.md', 'inline', '~/x.png', undefined],
    ],
    writes: [
      ['docs/a.md', 'inline', 'img/x.png', '../img/x.png'],
      ['docs/a.tsx', 'tag', 'img/x.png', '../img/x.png'],
    ],
    folders: [['docs/a.md', undefined]],
  },
];

describe('Places with', () => {
  for (const { name, files, resolves, writes, folders = [] } of rows) {
    it(name, async () => {
      const project = new RealProject(files);
      try {
        for (const [document, form, address, expected] of resolves) {
          const target = await project.resolve(document, address, form);
          assert.equal(target?.path, expected, `${address} as ${form} in ${document}`);
        }
        for (const [document, form, file, address, around] of writes) {
          const written = await project.write(document, file, form);
          assert.deepEqual(
            written,
            {
              address,
              ...(around === undefined || around === '!' ? {} : { wrapper: around }),
              isServed: around !== '!',
            },
            `${file} as ${form} in ${document}`,
          );
          // The written address must resolve to the file.
          project.create(file);
          const back = await project.resolve(
            document,
            encodeURI(address),
            around === 'require' || around === 'moduleUrl' ? 'module' : form,
          );
          if (around !== '!') assert.equal(back?.path, file, `${address} as ${form} in ${document}`);
        }
        for (const [document, folder] of folders) assert.equal(await project.folderFor(document), folder, document);
      } finally {
        project.remove();
      }
    });
  }
});
