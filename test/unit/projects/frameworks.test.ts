import assert from 'node:assert/strict';
import type { MediaKind, ReferenceForm } from '../../../src/documents/MediaReference.ts';
import { RealProject } from './realProject.ts';

/** A form, or the element of a tag. */
type Form = ReferenceForm | `<${string}>`;

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Document, form, address, the path that it resolves to, and `!` when the site does not serve it at this address. */
  readonly resolves: readonly (readonly [string, Form, string, string | undefined, '!'?])[];
  /** Document, form, file, address and wrapper; `!` when the file is not served. */
  readonly writes: readonly (readonly [string, Form, string, string, string?])[];
  /** Document and the folder for new images, or for media of another kind. */
  readonly folders?: readonly (readonly [string, string | undefined, MediaKind?])[];
}

function formOf(form: Form): readonly [ReferenceForm, string?] {
  return form.startsWith('<') ? ['tag', form.slice(1, -1)] : [form as ReferenceForm];
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
      ['website/docs/a.md', 'tag', './beside.png', 'website/docs/beside.png', '!'],
      ['website/docs/a.mdx', '<Card>', './beside.png', 'website/docs/beside.png'],
      ['website/docs/a.md', 'tag', '/img/there.png', 'website/static/img/there.png', '!'],
      ['website/docs/a.md', 'tag', '/img/x.png', 'website/static/img/x.png', '!'],
      ['website/docs/a.md', 'tag', '@site/static/img/there.png', 'website/static/img/there.png', '!'],
      ['website/docs/a.md', 'definition', './beside.png', 'website/docs/beside.png', '!'],
      ['website/docs/a.mdx', 'site', '/img/there.png', 'website/static/img/there.png'],
      ['website/src/css/a.css', 'style', '/img/there.png', 'website/static/img/there.png'],
      ['website/docs/a.mdx', 'site', 'img/x.png', 'website/static/img/x.png'],
      ['website/docs/a.md', 'frontMatter', 'img/x.png', 'website/static/img/x.png'],
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
      ['website/docs/a.mdx', 'site', 'website/static/x.png', '/x.png'],
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
    name: 'VitePress with a folder of configurations',
    files: { '.vitepress/config/index.ts': "export default { srcDir: 'src' }", 'src/a.md': '' },
    resolves: [['src/a.md', 'inline', '/x.png', 'src/public/x.png']],
    writes: [['src/a.md', 'inline', 'src/public/x.png', '/x.png']],
  },
  {
    name: 'VitePress',
    files: {
      'docs/.vitepress/config.mts': "export default { base: '/x/', srcDir: './src' }",
      'docs/src/a.md': '',
      'docs/src/guide/deep/fox.png': '',
      'docs/src/guide/talk.mp3': '',
      'docs/src/public/images/fox.png': '',
    },
    resolves: [
      ['docs/src/a.md', 'inline', '/x.png', 'docs/src/public/x.png'],
      ['docs/src/guide/a.md', 'tag', './x.png', 'docs/src/guide/x.png'],
      ['docs/src/index.md', 'frontMatter', '/hero.png', 'docs/src/public/hero.png'],
      ['docs/src/guide/a.md', 'inline', '/guide/deep/fox.png', 'docs/src/guide/deep/fox.png'],
      ['docs/src/guide/a.md', 'inline', '/public/images/fox.png', 'docs/src/public/images/fox.png'],
      ['docs/src/guide/a.md', '<audio>', './talk.mp3', 'docs/src/guide/talk.mp3', '!'],
      ['docs/src/guide/a.md', '<source>', './talk.mp3', 'docs/src/guide/talk.mp3'],
      ['docs/src/guide/a.md', '<audio>', '/x.mp3', 'docs/src/public/x.mp3', '!'],
      ['docs/src/guide/a.md', '<audio>', '/x/x.mp3', 'docs/src/public/x.mp3'],
      ['docs/src/guide/a.md', '<audio>', 'x.mp3', 'docs/src/public/guide/x.mp3'],
      ['docs/src/guide/a.md', 'inline', 'deep/fox.png', 'docs/src/guide/deep/fox.png'],
      ['docs/src/guide/a.md', 'inline', '../images/fox.png', 'docs/src/public/images/fox.png', '!'],
      ['docs/src/guide/a.md', 'tag', '../images/fox.png', 'docs/src/public/images/fox.png', '!'],
      ['docs/src/a.md', 'tag', 'images/fox.png', 'docs/src/public/images/fox.png'],
      ['docs/src/guide/a.md', 'tag', 'deep/fox.png', 'docs/src/guide/deep/fox.png', '!'],
    ],
    writes: [
      ['docs/src/guide/a.md', 'inline', 'docs/src/public/x.png', '/x.png'],
      ['docs/src/guide/a.md', 'inline', 'docs/src/guide/x.png', './x.png'],
      ['docs/src/guide/a.md', '<video>', 'docs/src/x.mp4', '../x.mp4'],
      ['docs/src/guide/a.md', '<source>', 'docs/src/public/x.mp3', '/x.mp3'],
      ['docs/src/guide/a.md', '<audio>', 'docs/src/public/x.mp3', '/x/x.mp3'],
      ['docs/src/guide/a.md', '<audio>', 'docs/src/guide/x.mp3', 'x.mp3', '!'],
    ],
    folders: [['docs/src/a.md', 'docs/src/public/images']],
  },
  {
    name: 'VuePress',
    files: { 'docs/.vuepress/config.js': '', 'docs/fox.png': '' },
    resolves: [
      ['docs/a.md', 'inline', '/x.png', 'docs/.vuepress/public/x.png'],
      ['docs/a.md', 'inline', 'fox.png', 'docs/fox.png', '!'],
      ['docs/a.md', 'inline', './fox.png', 'docs/fox.png'],
    ],
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
    name: 'Next with a slash behind each address',
    files: { 'next.config.js': 'module.exports = { trailingSlash: true }' },
    resolves: [
      ['app/page.jsx', 'tag', 'x.png', 'public/x.png'],
      ['app/about/page.jsx', 'tag', 'x.png', 'public/x.png', '!'],
    ],
    writes: [['app/about/page.jsx', 'tag', 'public/x.png', '/x.png']],
  },
  {
    name: 'Next',
    files: {
      'web/package.json': manifest('next'),
      'web/next.config.js': "module.exports = { basePath: '/shop' }",
      'web/public/images/.keep': '',
      'web/public/guide/there.png': '',
    },
    resolves: [
      ['web/app/page.tsx', 'tag', '/shop/x.png', 'web/public/x.png'],
      ['web/app/page.tsx', 'tag', '/x.png', 'web/public/x.png', '!'],
      ['web/app/page.tsx', '<Image>', '/x.png', 'web/public/x.png', '!'],
      ['web/app/page.tsx', 'module', './x.png', 'web/app/x.png'],
      ['web/app/page.tsx', 'module', 'package/x.png', undefined],
      ['web/content/a.mdx', 'inline', '/shop/x.png', 'web/public/x.png'],
      ['web/docs/a.md', 'inline', 'x.png', 'web/docs/x.png'],
      ['web/app/page.tsx', 'tag', 'x.png', 'web/public/x.png'],
      ['web/app/(shop)/guide/page.tsx', 'tag', 'x.png', 'web/public/x.png'],
      ['web/app/guide/deep/page.tsx', 'tag', 'x.png', 'web/public/x.png', '!'],
      ['web/src/pages/guide/[id].tsx', 'tag', 'x.png', 'web/public/x.png', '!'],
      ['web/app/guide/deep/page.tsx', 'tag', 'there.png', 'web/public/guide/there.png'],
      ['web/app/guide/deep/page.tsx', 'tag', '../x.png', 'web/public/x.png'],
      ['web/app/guide/deep/home-page.tsx', 'tag', 'x.png', 'web/public/x.png'],
      ['web/app/guide/deep/page.tsx', 'module', './x.png', 'web/app/guide/deep/x.png'],
      ['web/app/page.css', 'style', './x.png', 'web/app/x.png'],
    ],
    writes: [
      ['web/app/page.tsx', 'tag', 'web/public/images/x.png', '/shop/images/x.png'],
      ['web/app/guide/deep/page.tsx', 'tag', 'web/public/x.png', '/shop/x.png'],
      ['web/app/page.tsx', 'tag', 'web/app/x.png', 'x.png', '!'],
      ['web/app/page.css', 'style', 'web/public/x.png', '/shop/x.png'],
      ['web/app/page.css', 'style', 'web/app/two words.png', './two words.png'],
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
    name: 'Expo',
    files: { 'package.json': manifest('expo'), 'assets/images/there.png': '' },
    resolves: [
      ['app/a.tsx', 'module', '../assets/images/gone.png', 'assets/images/gone.png'],
      ['app/a.tsx', 'tag', '../assets/images/gone.png', undefined],
      ['app/a.tsx', 'tag', '../assets/images/there.png', 'assets/images/there.png', '!'],
    ],
    writes: [
      ['app/a.tsx', 'tag', 'assets/images/x.png', '../assets/images/x.png', 'native'],
      ['app/a.tsx', '<audio>', 'assets/x.mp3', '../assets/x.mp3', '!'],
    ],
    folders: [['app/a.tsx', 'assets/images']],
  },
  {
    name: 'Fumadocs in Next',
    files: {
      'package.json': JSON.stringify({ dependencies: { next: '16', 'fumadocs-mdx': '15' } }),
      'content/docs/there.png': '',
    },
    resolves: [
      ['content/docs/a.mdx', 'inline', './there.png', 'content/docs/there.png'],
      ['content/docs/a.mdx', 'inline', './gone.png', 'content/docs/gone.png'],
      ['content/docs/a.mdx', 'tag', './there.png', 'content/docs/there.png', '!'],
    ],
    writes: [['content/docs/a.mdx', 'inline', 'content/docs/x.png', './x.png']],
  },
  {
    name: 'Vite with MDX and a base path',
    files: {
      'vite.config.ts': "import mdx from '@mdx-js/rollup'; export default { base: '/docs/', plugins: [mdx()] }",
      'public/there.png': '',
      'src/q.png': '',
    },
    resolves: [
      ['src/a.mdx', 'inline', '/docs/there.png', 'public/there.png'],
      ['src/a.mdx', 'inline', '/docs/gone.png', 'public/gone.png'],
      ['src/a.mdx', 'inline', '/there.png', 'public/there.png', '!'],
      ['src/a.mdx', 'inline', './q.png', 'src/q.png', '!'],
      ['src/a.md', 'inline', '/docs/gone.png', 'public/gone.png'],
    ],
    writes: [
      ['src/a.mdx', 'inline', 'public/q.png', '/docs/q.png'],
      ['src/a.md', 'tag', 'public/q.png', '/docs/q.png'],
      ['src/a.mdx', 'inline', 'src/q.png', 'q.png', '!'],
    ],
  },
  {
    name: 'Vite with MDX that imports its pictures',
    files: {
      'vite.config.ts': "import media from 'rehype-mdx-import-media'; export default { base: '/docs/' }",
      'src/q.png': '',
    },
    resolves: [['src/a.mdx', 'inline', './q.png', 'src/q.png']],
    writes: [
      ['src/a.mdx', 'inline', 'src/q.png', './q.png'],
      ['src/a.mdx', 'inline', 'public/q.png', '/docs/q.png'],
    ],
  },
  {
    name: 'Vite with Markdown as templates of Vue',
    files: { 'vite.config.ts': "import Markdown from 'unplugin-vue-markdown/vite'; export default { base: '/docs/' }" },
    resolves: [['src/a.md', 'inline', './gone.png', 'src/gone.png']],
    writes: [
      ['src/a.md', 'inline', 'public/q.png', '/q.png'],
      ['src/a.md', '<audio>', 'public/q.mp3', '/docs/q.mp3'],
    ],
  },
  {
    name: 'Vite whose Markdown no plugin reads',
    files: { 'vite.config.ts': "export default { base: '/docs/' }" },
    resolves: [['src/a.md', 'inline', './gone.png', 'src/gone.png']],
    writes: [
      ['src/a.md', 'inline', 'public/q.png', '/docs/q.png'],
      ['src/a.md', 'inline', 'src/q.png', './q.png'],
    ],
  },
  {
    name: 'Vite',
    files: {
      'vite.config.ts':
        "export default { base: '/app/', publicDir: 'pub', resolve: { alias: { '@': path.resolve(__dirname, './src') } } }",
      'src/assets/there.png': '',
      'pub/there.png': '',
    },
    resolves: [
      ['index.html', 'tag', './there.png', 'pub/there.png'],
      ['src/App.tsx', 'tag', '/src/assets/there.png', 'src/assets/there.png', '!'],
      ['src/App.vue', '<audio>', '/app/x.mp3', 'pub/x.mp3'],
      ['src/App.vue', '<audio>', '/x.mp3', 'pub/x.mp3', '!'],
      ['src/App.tsx', 'tag', '/app/x.png', 'pub/x.png'],
      ['src/App.vue', 'tag', '@/assets/x.png', 'src/assets/x.png'],
      ['src/App.vue', 'tag', './x.png', 'src/x.png'],
      ['src/App.vue', 'tag', 'assets/there.png', 'src/assets/there.png', '!'],
      ['src/App.tsx', 'tag', '../x.png', undefined],
      ['index.html', 'tag', '/src/assets/there.png', 'src/assets/there.png'],
      ['src/App.css', 'style', '../x.png', 'x.png'],
      ['src/App.tsx', 'module', '/x.svg', 'pub/x.svg'],
    ],
    writes: [
      ['src/App.tsx', 'tag', 'pub/x.png', '/app/x.png'],
      ['src/App.tsx', 'tag', 'src/x.png', './x.png', 'import'],
      ['src/App.tsx', 'tag', 'src/x.md', './x.md?url', 'import'],
      ['src/App.vue', 'tag', 'pub/x.png', '/x.png'],
      ['src/App.vue', 'tag', 'src/assets/x.png', './assets/x.png'],
      ['src/App.css', 'style', 'src/assets/x.png', './assets/x.png'],
      ['index.html', 'tag', 'pub/x.png', '/x.png'],
      ['pub/page.html', 'tag', 'pub/img/x.png', 'img/x.png'],
      ['docs/a.md', 'inline', 'pub/x.png', '../pub/x.png'],
    ],
    folders: [['src/App.tsx', 'pub/img']],
  },
  {
    name: 'webpack',
    files: { 'webpack.config.js': '', 'src/assets/there.png': '' },
    resolves: [
      ['src/App.tsx', 'module', './assets/x.png', 'src/assets/x.png'],
      ['src/App.css', 'style', './assets/x.png', 'src/assets/x.png'],
      ['src/App.tsx', 'tag', './assets/there.png', 'src/assets/there.png', '!'],
      ['src/App.tsx', 'tag', '/x.png', undefined],
    ],
    writes: [
      ['src/App.tsx', 'tag', 'src/assets/x.png', './assets/x.png', 'import'],
      ['src/App.tsx', 'tag', 'media/images/x.png', '../media/images/x.png', 'import'],
      ['src/App.css', 'style', 'src/assets/x.png', './assets/x.png'],
      ['docs/a.md', 'inline', 'src/assets/x.png', '../src/assets/x.png'],
    ],
    folders: [
      ['src/App.tsx', 'src/assets'],
      ['docs/a.md', undefined],
    ],
  },
  {
    name: 'Create React App',
    files: {
      'package.json': JSON.stringify({ dependencies: { 'react-scripts': '5' }, homepage: 'https://example.com/app' }),
      'src/assets/img/there.png': '',
    },
    resolves: [
      ['src/App.tsx', 'tag', '/app/x.png', 'public/x.png'],
      ['src/App.tsx', 'module', './assets/x.png', 'src/assets/x.png'],
    ],
    writes: [
      ['src/App.tsx', 'tag', 'public/x.png', '/app/x.png'],
      ['src/App.tsx', 'tag', 'src/assets/x.png', './assets/x.png', 'import'],
      ['src/App.tsx', 'tag', 'media/x.png', '../media/x.png', '!'],
    ],
    folders: [['src/App.tsx', 'src/assets/img']],
  },
  {
    name: 'Create React App, its page',
    files: { 'package.json': manifest('react-scripts'), 'public/index.html': '' },
    resolves: [
      ['public/index.html', 'site', '/logo192.png', 'public/logo192.png'],
      ['public/index.html', 'tag', '/logo192.png', 'public/logo192.png'],
      ['examples/a.html', 'tag', 'x.png', 'examples/x.png'],
    ],
    writes: [['public/index.html', 'site', 'public/logo192.png', '/logo192.png']],
    folders: [
      ['public/index.html', 'public'],
      ['examples/a.html', undefined],
    ],
  },
  {
    name: 'Vue CLI',
    files: {
      'package.json': manifest('@vue/cli-service'),
      'vue.config.js': "module.exports = { publicPath: '/app/' }",
      'src/assets/logo.png': '',
      'public/index.html': '',
      'public/img/hero.png': '',
    },
    resolves: [
      ['src/App.vue', 'tag', '/app/img/hero.png', 'public/img/hero.png'],
      ['src/App.vue', 'tag', '/img/x.png', 'public/img/x.png', '!'],
      ['src/App.vue', 'tag', './assets/logo.png', 'src/assets/logo.png'],
      ['src/App.vue', 'tag', '@/assets/x.png', 'src/assets/x.png'],
      ['src/App.vue', 'style', '~@/assets/x.png', 'src/assets/x.png'],
      ['src/App.vue', '<audio>', './assets/logo.png', 'src/assets/logo.png', '!'],
      ['public/index.html', 'tag', '/app/img/x.png', 'public/img/x.png'],
    ],
    writes: [
      ['src/App.vue', 'tag', 'public/img/x.png', '/app/img/x.png'],
      ['src/App.vue', 'tag', 'src/assets/x.png', './assets/x.png'],
      ['src/App.vue', '<source>', 'src/assets/x.mp3', './assets/x.mp3'],
    ],
    folders: [['src/App.vue', 'src/assets']],
  },
  {
    name: 'Slidev',
    files: { 'package.json': manifest('@slidev/cli'), 'slides.md': '', 'there.png': '' },
    resolves: [
      ['slides.md', 'inline', '/x.png', 'public/x.png'],
      ['slides.md', 'inline', './there.png', 'there.png'],
      ['slides.md', 'inline', 'there.png', 'there.png', '!'],
      ['slides.md', 'inline', 'gone.png', 'gone.png', '!'],
    ],
    writes: [
      ['slides.md', 'inline', 'public/x.png', '/x.png'],
      ['slides.md', 'inline', 'x.png', './x.png'],
    ],
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
      ['src/routes/(app)/guide/+page.svelte', 'tag', 'x.png', 'static/x.png'],
      ['src/routes/guide/deep/+page.svelte', 'tag', 'x.png', 'static/x.png', '!'],
      ['src/routes/guide/deep/+page.svx', 'inline', 'x.png', 'static/x.png', '!'],
      ['src/routes/guide/deep/+layout.svelte', 'tag', 'x.png', 'static/x.png'],
    ],
    writes: [
      ['src/routes/+page.svelte', 'tag', 'static/img/x.png', '/docs/img/x.png'],
      ['src/routes/+page.svx', 'inline', 'static/img/x.png', '/docs/img/x.png'],
    ],
    folders: [['src/routes/+page.svelte', 'static/img']],
  },
  {
    name: 'SvelteKit with its options in the configuration of Vite',
    files: {
      'vite.config.ts':
        "export default { plugins: [sveltekit({ kit: { paths: { base: '/docs' }, files: { assets: 'files' } } })] }",
      'package.json': manifest('@sveltejs/kit'),
      'src/lib/there.png': '',
    },
    resolves: [
      ['src/routes/+page.svelte', 'tag', '/docs/x.png', 'files/x.png'],
      ['src/routes/+page.svelte', 'tag', '/x.png', 'files/x.png', '!'],
      ['src/routes/+page.svelte', 'module', '$lib/assets/x.png', 'src/lib/assets/x.png'],
      ['src/routes/+page.svelte', '<enhanced:img>', '$lib/there.png', 'src/lib/there.png'],
      ['src/routes/+page.svelte', '<enhanced:img>', './x.png', 'src/routes/x.png'],
    ],
    writes: [['src/routes/+page.svelte', 'tag', 'files/img/x.png', '/docs/img/x.png']],
    folders: [['src/routes/+page.svelte', 'files/img']],
  },
  {
    name: 'Nuxt',
    files: { 'nuxt.config.ts': "export default { app: { baseURL: '/shop/' } }", 'app/app.vue': '' },
    resolves: [
      ['app/pages/index.vue', 'tag', '~/assets/x.png', 'app/assets/x.png'],
      ['app/pages/index.vue', 'tag', '~~/x.png', 'x.png'],
      ['app/pages/index.vue', 'tag', '~@/assets/x.png', 'app/assets/x.png'],
      ['app/assets/a.scss', 'style', '~@/assets/x.png', 'app/assets/x.png'],
      ['app/assets/a.scss', 'style', '~@fortawesome/x.png', undefined],
      ['app/pages/index.vue', 'tag', '/x.png', 'public/x.png'],
      ['content/a.md', 'inline', '/shop/x.png', 'public/x.png'],
      ['content/a.md', 'inline', 'x.png', 'public/x.png'],
      ['content/1.guide/2.deep.md', 'inline', 'x.png', 'public/x.png', '!'],
      ['app/pages/guide/deep.vue', '<audio>', 'x.mp3', 'public/x.mp3', '!'],
      ['app/pages/guide/index.vue', '<audio>', 'x.mp3', 'public/x.mp3'],
      ['app/pages/index.vue', '<audio>', '/x.mp3', 'public/x.mp3', '!'],
      ['app/pages/index.vue', '<audio>', '/shop/x.mp3', 'public/x.mp3'],
    ],
    writes: [
      ['app/pages/index.vue', 'tag', 'public/x.png', '/x.png'],
      ['app/pages/index.vue', '<source>', 'app/assets/x.mp3', '../assets/x.mp3'],
      ['app/pages/index.vue', 'tag', 'app/assets/x.png', '../assets/x.png'],
    ],
  },
  {
    name: 'Nuxt 3 with its sources and public files in a folder',
    files: { 'nuxt.config.ts': "export default defineNuxtConfig({ srcDir: 'src/' })", 'src/public/there.png': '' },
    resolves: [
      ['src/pages/a.vue', 'tag', '/there.png', 'src/public/there.png'],
      ['src/pages/a.vue', 'tag', '@/assets/x.png', 'src/assets/x.png'],
    ],
    writes: [['src/pages/a.vue', 'tag', 'src/public/x.png', '/x.png']],
    folders: [['src/pages/a.vue', 'src/public']],
  },
  {
    name: 'Nuxt 2',
    files: { 'nuxt.config.js': '', 'static/x.png': '' },
    resolves: [['pages/index.vue', 'tag', '@/assets/x.png', 'assets/x.png']],
    writes: [['pages/index.vue', 'tag', 'static/x.png', '/x.png']],
  },
  {
    name: 'Nuxt 2 with its sources in a folder',
    files: { 'nuxt.config.js': "export default { srcDir: 'client' }", 'client/static/x.png': '' },
    resolves: [['client/pages/index.vue', 'tag', '/x.png', 'client/static/x.png']],
    writes: [],
  },
  {
    name: 'Gatsby',
    files: {
      'gatsby-config.ts':
        "plugins: [{ resolve: 'gatsby-source-filesystem', options: { path: `${__dirname}/content/posts` } }, 'gatsby-remark-images']",
      'content/posts/there.mp3': '',
      'content/other.png': '',
    },
    resolves: [
      ['content/posts/a.md', 'inline', './x.png', 'content/posts/x.png'],
      ['content/posts/a.md', 'inline', '../other.png', 'content/other.png', '!'],
      ['content/posts/a.md', '<audio>', 'there.mp3', 'content/posts/there.mp3', '!'],
      ['src/pages/index.js', 'tag', '/x.png', 'static/x.png'],
    ],
    writes: [
      ['content/posts/a.md', 'inline', 'static/x.png', '/x.png'],
      ['content/posts/a.md', 'inline', 'content/posts/x.png', './x.png'],
      ['content/posts/a.md', 'inline', 'media/x.png', '../../media/x.png', '!'],
      ['src/pages/index.js', 'tag', 'static/x.png', '/x.png'],
      ['src/pages/index.js', 'tag', 'src/images/x.png', '../images/x.png', 'import'],
    ],
    folders: [['content/posts/a.md', 'static']],
  },
  {
    name: 'Gatsby with a prefix and a plugin that copies all files',
    files: {
      'gatsby-config.js':
        "module.exports = { pathPrefix: '/pre', plugins: [{ resolve: 'gatsby-remark-copy-linked-files', options: { ignoreFileExtensions: [] } }, { path: path.join(__dirname, 'content') }] }",
    },
    resolves: [
      ['content/a/b.md', 'inline', '/x.png', 'static/x.png', '!'],
      ['content/a/b.md', '<audio>', 'x.mp3', 'content/a/x.mp3'],
      ['src/pages/index.js', 'tag', '/x.png', 'static/x.png', '!'],
      ['src/pages/index.js', 'site', '/x.png', 'static/x.png'],
    ],
    writes: [
      ['content/a/b.md', 'inline', 'content/a/x.png', './x.png'],
      ['content/a/b.md', '<audio>', 'content/x.mp3', '../x.mp3'],
      ['content/a/b.md', 'inline', 'content/a/two words.png', './two words.png', '!'],
      ['src/pages/index.js', 'tag', 'static/x.png', '../../static/x.png', 'import'],
    ],
    folders: [
      ['content/a/b.md', 'content/a'],
      ['content/a/b.md', 'content/a', 'audio'],
      ['src/pages/index.js', 'static'],
    ],
  },
  {
    name: 'Gatsby with a prefix and a plugin that copies all files but pictures',
    files: {
      'gatsby-config.js': "module.exports = { pathPrefix: '/pre', plugins: ['gatsby-remark-copy-linked-files'] }",
      'content/a/there.png': '',
    },
    resolves: [
      ['content/a/b.md', 'inline', './there.png', 'content/a/there.png', '!'],
      ['content/a/b.md', 'inline', '/pre/x.png', 'static/x.png'],
      ['content/a/b.md', '<audio>', 'x.mp3', 'content/a/x.mp3'],
    ],
    writes: [
      ['content/a/b.md', 'inline', 'static/x.png', '/pre/x.png'],
      ['content/a/b.md', 'inline', 'content/a/x.png', './x.png', '!'],
      ['content/a/b.md', '<audio>', 'content/a/x.mp3', './x.mp3'],
    ],
    folders: [
      ['content/a/b.md', 'static'],
      ['content/a/b.md', 'content/a', 'audio'],
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
            architect: {
              build: { options: { assets: [{ glob: '**/*', input: 'projects/shop/public' }], baseHref: '/shop/' } },
            },
          },
        },
      }),
    },
    resolves: [
      ['src/app/app.component.html', 'tag', 'assets/x.png', 'src/assets/x.png'],
      ['src/app/app.component.html', 'tag', '/assets/x.png', 'src/assets/x.png'],
      ['projects/shop/src/a.html', 'tag', 'x.png', 'projects/shop/public/x.png'],
      ['projects/shop/src/a.html', 'tag', '/shop/x.png', 'projects/shop/public/x.png'],
      ['projects/shop/src/a.html', 'tag', '/x.png', 'projects/shop/public/x.png', '!'],
      ['projects/shop/src/a.css', 'style', '/shop/x.png', 'projects/shop/public/x.png'],
    ],
    writes: [
      ['projects/shop/src/a.css', 'style', 'projects/shop/public/x.png', '/shop/x.png'],
      ['src/styles.css', 'style', 'src/assets/x.png', '/assets/x.png'],
      ['src/app/app.component.html', 'tag', 'src/assets/img/x.png', 'assets/img/x.png'],
      ['projects/shop/src/a.html', 'tag', 'projects/shop/public/x.png', 'x.png'],
      ['src/styles.css', 'style', 'src/two words.png', './two words.png'],
    ],
  },
  {
    name: 'Hugo',
    files: {
      'hugo.toml':
        "baseURL = 'https://example.org/blog/' # x\n[markup.goldmark.renderHooks.image]\nuseEmbedded = 'fallback'\n[permalinks]\nnotes = '/:year/:slug/'\n",
      'content/posts/fox/index.md': '',
      'content/posts/hen.md': '',
      'content/posts/slug.md': '---\ntitle: Fox\nslug: reineke\n---\n',
      'content/posts/url.md': '+++\nurl = "/somewhere/"\n+++\n',
      'content/posts/beside.png': '',
      'static/images/there.png': '',
      'assets/there.png': '',
    },
    resolves: [
      ['content/posts/fox/index.md', 'inline', 'x.png', 'content/posts/fox/x.png'],
      ['content/posts/hen.md', 'inline', '/blog/images/x.png', 'static/images/x.png'],
      ['content/posts/hen.md', 'inline', '/images/x.png', 'static/images/x.png', '!'],
      ['content/posts/hen.md', 'inline', 'x.png', 'static/posts/hen/x.png'],
      ['content/posts/hen.md', 'inline', 'beside.png', 'content/posts/beside.png', '!'],
      ['content/posts/hen.md', 'frontMatter', 'images/x.png', 'static/images/x.png'],
      ['content/posts/hen.md', 'frontMatter', 'images/there.png', 'static/images/there.png'],
      ['content/posts/hen.md', 'frontMatter', '/images/there.png', 'static/images/there.png', '!'],
      ['content/posts/fox/index.md', 'frontMatter', 'x.png', 'content/posts/fox/x.png'],
      ['content/posts/fox/index.md', 'frontMatter', 'images/there.png', 'static/images/there.png'],
      ['content/posts/fox/index.md', 'inline', '../../../media/x.png', 'media/x.png', '!'],
      ['content/posts/slug.md', 'inline', 'x.png', 'static/posts/reineke/x.png'],
      ['content/posts/url.md', 'inline', 'x.png', undefined],
      ['content/posts/url.md', 'inline', 'beside.png', 'content/posts/beside.png'],
      ['content/notes/a.md', 'inline', 'x.png', undefined],
      ['content/posts/hen.md', 'inline', '../x.png', 'static/posts/x.png'],
      ['content/posts/hen.md', 'inline', '/there.png', 'assets/there.png'],
      ['README.md', 'inline', 'x.png', 'x.png'],
    ],
    writes: [
      ['content/posts/fox/index.md', 'inline', 'content/posts/fox/x.png', 'x.png'],
      ['content/posts/fox/index.md', 'inline', 'static/images/x.png', '/blog/images/x.png'],
      ['content/posts/hen.md', 'inline', 'static/images/x.png', '/blog/images/x.png'],
      ['content/posts/hen.md', 'frontMatter', 'static/images/x.png', 'images/x.png'],
      ['content/posts/hen.md', 'tag', 'content/posts/x.mp3', '/blog/posts/x.mp3'],
      ['content/posts/hen.md', 'inline', 'media/x.png', '../../media/x.png', '!'],
      ['content/posts/fox/index.md', 'inline', 'media/y.png', '../../../media/y.png', '!'],
      ['content/posts/_index.md', 'inline', 'media/y.png', '../../media/y.png', '!'],
      ['static/style.css', 'style', 'static/x.png', 'x.png'],
      ['static/style.css', 'style', 'media/y.png', '../media/y.png', '!'],
    ],
    folders: [
      ['content/posts/fox/index.md', 'content/posts/fox'],
      ['content/posts/hen.md', 'static/images'],
    ],
  },
  {
    name: 'Hugo with ugly addresses',
    files: { 'hugo.toml': 'uglyURLs = true\n', 'content/posts/fox/beside.png': '' },
    resolves: [
      ['content/posts/fox/index.md', 'inline', 'beside.png', 'content/posts/fox/beside.png', '!'],
      ['content/posts/fox/index.md', 'inline', 'fox/beside.png', 'content/posts/fox/beside.png'],
      ['content/posts/hen.md', 'inline', 'x.png', 'static/posts/x.png'],
      ['content/posts/_index.md', 'inline', 'x.png', 'static/x.png'],
    ],
    writes: [['content/posts/fox/index.md', 'inline', 'content/posts/fox/x.png', '/posts/fox/x.png']],
  },
  {
    name: 'Hugo that makes the addresses of its pages relative',
    files: { 'hugo.toml': "baseURL = 'https://example.org/blog/'\nrelativeURLs = true\n", 'static/there.png': '' },
    resolves: [
      ['content/posts/hen.md', 'inline', '/there.png', 'static/there.png'],
      ['content/posts/hen.md', 'inline', '/blog/x.png', 'static/blog/x.png'],
      ['assets/site.css', 'style', '/there.png', 'static/there.png', '!'],
    ],
    writes: [
      ['content/posts/hen.md', 'inline', 'static/x.png', '/x.png'],
      ['assets/site.css', 'style', 'static/x.png', '/blog/x.png'],
    ],
  },
  {
    name: 'Hugo that publishes style sheets from its folder assets',
    files: {
      'hugo.toml': "baseURL = 'https://example.org/blog/'\n",
      'static/images/hero.png': '',
      'assets/css/there.png': '',
    },
    resolves: [
      ['assets/css/main.css', 'style', '../images/hero.png', 'static/images/hero.png'],
      ['assets/css/main.css', 'style', '../images/x.png', 'static/images/x.png'],
      ['assets/scss/main.scss', 'style', '../images/hero.png', 'static/images/hero.png'],
      ['assets/css/main.css', 'style', 'there.png', 'assets/css/there.png'],
      ['assets/scss/parts/_menu.scss', 'style', '../images/x.png', undefined],
    ],
    writes: [['assets/css/main.css', 'style', 'static/images/x.png', '/blog/images/x.png']],
  },
  {
    name: 'Hugo with themes in the repository',
    files: {
      'hugo.toml': 'theme = ["own", "paper"]\n',
      'themes/own/static/images/logo.png': '',
      'themes/paper/static/icon.png': '',
    },
    resolves: [
      ['content/a.md', 'inline', '/images/logo.png', 'themes/own/static/images/logo.png'],
      ['content/a.md', 'inline', '/icon.png', 'themes/paper/static/icon.png'],
      ['content/a.md', 'inline', '/x.png', 'static/x.png'],
    ],
    writes: [['content/a.md', 'inline', 'static/x.png', '/x.png']],
    folders: [['content/a.md', 'static']],
  },
  {
    name: 'Hugo in several languages, by the ends of names',
    files: {
      'hugo.yaml': 'defaultContentLanguage: de\nlanguages:\n  de:\n    weight: 1\n  pt-BR:\n    weight: 2\n',
      'content/posts/fox/beside.png': '',
    },
    resolves: [
      ['content/posts/fox/index.de.md', 'inline', 'beside.png', 'content/posts/fox/beside.png'],
      ['content/posts/fox/index.pt-br.md', 'inline', 'x.png', 'content/posts/fox/x.png'],
      ['content/posts/hen.de.md', 'inline', 'x.png', 'static/posts/hen/x.png'],
      ['content/posts/hen.md', 'inline', 'x.png', 'static/posts/hen/x.png'],
      ['content/posts/hen.pt-br.md', 'inline', 'x.png', 'static/pt-br/posts/hen/x.png'],
      ['content/posts/hen.v2.md', 'inline', 'x.png', 'static/posts/hen.v2/x.png'],
    ],
    writes: [
      ['content/posts/fox/index.pt-br.md', 'inline', 'content/posts/fox/x.png', 'x.png'],
      ['content/posts/hen.pt-br.md', 'inline', 'static/x.png', '/x.png'],
    ],
    folders: [
      ['content/posts/fox/index.pt-br.md', 'content/posts/fox'],
      ['content/posts/hen.pt-br.md', 'static'],
    ],
  },
  {
    name: 'Hugo in several languages, each in a folder',
    files: {
      'config/_default/hugo.toml': "title = 'Foxes'\n",
      'config/_default/languages.toml': "[en]\ncontentDir = 'content/en'\n[de]\ncontentDir = 'content/de'\n",
    },
    resolves: [
      ['content/en/posts/hen.md', 'inline', 'x.png', 'static/posts/hen/x.png'],
      ['content/de/posts/hen.md', 'inline', '../x.png', 'static/de/posts/x.png'],
    ],
    writes: [
      ['content/en/posts/hen.md', 'inline', 'content/en/posts/x.png', '/posts/x.png'],
      ['content/de/posts/hen.md', 'inline', 'content/de/posts/x.png', '/de/posts/x.png'],
      ['content/de/posts/hen.md', 'inline', 'content/en/posts/x.png', '/posts/x.png'],
    ],
  },
  {
    name: 'Hugo in several languages, each with a configuration',
    files: {
      'config/_default/config.yaml': 'defaultContentLanguageInSubdir: true\n',
      'config/_default/languages.en.yaml': 'weight: 1\n',
      'config/_default/languages.de.yaml': 'weight: 2\n',
    },
    resolves: [['content/posts/hen.md', 'inline', 'x.png', 'static/en/posts/hen/x.png']],
    writes: [['content/posts/fox/index.de.md', 'inline', 'content/posts/fox/x.png', 'x.png']],
  },
  {
    name: 'Hugo with a YAML configuration of the old name',
    files: { 'config.yaml': 'baseURL: https://example.org/\nstaticDir:\n  - files\n  - more\n', 'content/a.md': '' },
    resolves: [['content/a.md', 'inline', '/x.png', 'files/x.png']],
    writes: [['content/a.md', 'inline', 'more/x.png', '/x.png']],
  },
  {
    name: 'Jekyll',
    files: {
      '_config.yml': 'title: Foxes\n',
      '_posts/2026-01-01-fox.md': '',
      '_posts/there.png': '',
      'named.md': '---\npermalink: /deep/name.html\n---\n',
      'assets/img/.keep': '',
    },
    resolves: [
      ['_posts/2026-01-01-fox.md', 'inline', '/assets/x.png', 'assets/x.png'],
      ['_posts/2026-01-01-fox.md', 'inline', 'x.png', undefined],
      ['about.md', 'inline', 'x.png', 'x.png'],
      ['named.md', 'inline', 'x.png', 'deep/x.png'],
      ['_posts/2026-01-01-fox.md', 'inline', '/_posts/there.png', '_posts/there.png', '!'],
      ['_posts/2026-01-01-fox.md', 'frontMatter', 'assets/x.png', 'assets/x.png'],
    ],
    writes: [
      ['_posts/2026-01-01-fox.md', 'inline', 'assets/img/x.png', '/assets/img/x.png'],
      ['_posts/2026-01-01-fox.md', 'inline', '_posts/fox.png', 'fox.png', '!'],
    ],
    folders: [['_posts/2026-01-01-fox.md', 'assets/img']],
  },
  {
    name: 'Jekyll with a base URL',
    files: { '_config.yml': 'baseurl: "/blog" # x\n', Gemfile: 'gem "jekyll"' },
    resolves: [
      ['a.md', 'inline', '/assets/x.png', 'assets/x.png', '!'],
      ['a.md', 'inline', '/blog/assets/x.png', 'assets/x.png'],
      ['a.md', 'site', '/assets/x.png', 'assets/x.png'],
    ],
    writes: [['a.md', 'inline', 'assets/x.png', '/assets/x.png', 'relativeUrl']],
  },
  {
    name: 'Jekyll with style sheets that others import',
    files: { '_config.yml': 'theme: jekyll\nbaseurl: /blog\n', 'assets/img/there.png': '', '_sass/beside.png': '' },
    resolves: [
      ['_sass/_x.scss', 'style', '../img/there.png', undefined],
      ['_sass/_x.scss', 'style', 'beside.png', '_sass/beside.png'],
      ['_sass/_x.scss', 'style', '/blog/assets/img/there.png', 'assets/img/there.png'],
      ['assets/css/main.scss', 'style', '../img/x.png', 'assets/img/x.png'],
    ],
    writes: [['_sass/_x.scss', 'style', 'assets/img/x.png', '/blog/assets/img/x.png']],
  },
  {
    name: 'Jekyll on GitHub Pages, without a Gemfile',
    files: { 'docs/_config.yml': 'baseurl: /blog\nremote_theme: pages-themes/cayman@v0.2.0\n' },
    resolves: [['docs/a.md', 'inline', '/assets/x.png', 'docs/assets/x.png', '!']],
    writes: [['docs/a.md', 'inline', 'docs/assets/x.png', '/assets/x.png', 'relativeUrl']],
  },
  {
    name: 'Jekyll below a folder, with pretty addresses',
    files: { 'docs/_config.yml': 'permalink: pretty\n', 'docs/Gemfile': 'gem "jekyll"', 'docs/guide/beside.png': '' },
    resolves: [
      ['docs/guide/start.md', 'inline', 'x.png', 'docs/guide/start/x.png'],
      ['docs/guide/start.md', 'inline', 'beside.png', 'docs/guide/beside.png', '!'],
      ['docs/guide/start.md', 'inline', '../beside.png', 'docs/guide/beside.png'],
      ['docs/guide/index.md', 'inline', 'beside.png', 'docs/guide/beside.png'],
    ],
    writes: [
      ['docs/guide/start.md', 'inline', 'docs/guide/x.png', '/guide/x.png'],
      ['docs/guide/start.md', 'inline', 'media/x.png', '../../media/x.png', '!'],
    ],
  },
  {
    name: 'Hexo',
    files: { '_config.yml': 'root: /blog/\n', 'package.json': manifest('hexo'), 'source/_posts/fox/there.png': '' },
    resolves: [
      ['source/_posts/a.md', 'inline', '/images/x.png', 'source/images/x.png'],
      ['source/_posts/a.md', 'inline', 'images/x.png', 'source/images/x.png'],
      ['source/_posts/a.md', 'inline', '/_posts/fox/there.png', 'source/_posts/fox/there.png', '!'],
      ['source/_posts/a.md', 'tag', '/images/x.png', 'source/images/x.png', '!'],
      ['source/_posts/a.md', 'tag', '/blog/images/x.png', 'source/images/x.png'],
      ['source/about/index.md', 'tag', 'x.png', 'source/about/x.png'],
    ],
    writes: [
      ['source/_posts/a.md', 'inline', 'source/images/x.png', '/images/x.png'],
      ['source/_posts/a.md', '<audio>', 'source/x.mp3', '/blog/x.mp3'],
      ['source/_posts/a.md', 'inline', 'source/_posts/fox/x.png', 'fox/x.png', '!'],
    ],
    folders: [['source/_posts/a.md', 'source/images']],
  },
  {
    name: 'Hexo with a theme in the repository',
    files: { '_config.yml': 'theme: own\n', 'package.json': manifest('hexo'), 'themes/own/source/images/logo.png': '' },
    resolves: [
      ['source/_posts/a.md', 'inline', '/images/logo.png', 'themes/own/source/images/logo.png'],
      ['source/_posts/a.md', 'inline', '/images/x.png', 'source/images/x.png'],
    ],
    writes: [],
  },
  {
    name: 'Hexo with a folder per post',
    files: { '_config.yml': 'post_asset_folder: true\n', 'package.json': manifest('hexo') },
    resolves: [
      ['source/_posts/a.md', 'inline', 'images/x.png', 'source/images/x.png'],
      ['source/_posts/a.md', 'tag', 'x.png', 'source/_posts/a/x.png'],
      ['source/_posts/a.md', 'macro', 'x.png', 'source/_posts/a/x.png'],
      ['source/_posts/a.md', 'macro', 'my%20x.png', 'source/_posts/a/my%20x.png'],
    ],
    writes: [
      ['source/_posts/a.md', 'inline', 'source/images/x.png', '/images/x.png'],
      ['source/_posts/a.md', 'inline', 'source/_posts/a/x.png', 'x.png', '!'],
      ['source/_posts/a.md', 'tag', 'source/_posts/a/x.png', 'x.png', 'assetPath'],
      ['source/about/index.md', 'inline', 'source/images/x.png', '/images/x.png'],
    ],
    folders: [
      ['source/_posts/a.md', 'source/_posts/a'],
      ['source/about/index.md', 'source/images'],
    ],
  },
  {
    name: 'Hexo that looks for pictures in the folder of the post',
    files: {
      '_config.yml': 'post_asset_folder: true\nmarked:\n  postAsset: true\n',
      'package.json': manifest('hexo'),
      'source/images/there.png': '',
    },
    resolves: [
      ['source/_posts/a.md', 'inline', 'x.png', 'source/_posts/a/x.png'],
      ['source/_posts/a.md', 'inline', 'images/there.png', 'source/images/there.png'],
    ],
    writes: [
      ['source/_posts/a.md', 'inline', 'source/_posts/a/x.png', 'x.png'],
      ['source/_posts/a.md', 'inline', 'media/x.png', '../../../media/x.png', '!'],
    ],
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
      ['static/css/a.css', 'style', '../img/x.png', 'src/img/x.png'],
    ],
    writes: [
      ['src/posts/a.md', 'inline', 'src/img/x.png', '/img/x.png'],
      ['static/css/a.css', 'style', 'src/img/x.png', '../img/x.png'],
      ['src/posts/a.md', 'inline', 'static/x.png', '/x.png'],
    ],
  },
  {
    name: 'Eleventy that copies files and folders of other kinds',
    files: {
      'eleventy.config.js':
        "c.addPassthroughCopy('CNAME').addPassthroughCopy('feed/atom.xsl').addPassthroughCopy('apple-touch-icon.png'); c.addPassthroughCopy('css'); c.addPassthroughCopy({ 'art/logo.svg': '/', './public/': '/', './sounds/': 'audio' })",
      'apple-touch-icon.png': '',
      'art/logo.svg': '',
    },
    resolves: [
      ['index.njk', 'tag', '/apple-touch-icon.png', 'apple-touch-icon.png'],
      ['index.njk', 'tag', '/logo.svg', 'art/logo.svg'],
      ['index.njk', 'tag', '/apple-touch-icon.pngx.png', 'public/apple-touch-icon.pngx.png'],
      ['index.njk', 'tag', '/audio/x.mp3', 'sounds/x.mp3'],
    ],
    writes: [
      ['a.md', 'inline', 'art/logo.svg', '/logo.svg'],
      ['a.md', 'inline', 'apple-touch-icon.png', '/apple-touch-icon.png'],
    ],
    folders: [
      ['a.md', 'public'],
      ['a.md', 'sounds', 'audio'],
    ],
  },
  {
    name: 'Eleventy that copies a folder of no usual name, and one with a dot',
    files: { 'eleventy.config.js': "c.addPassthroughCopy('CNAME'); c.addPassthroughCopy('photos.2024')" },
    resolves: [['a.md', 'inline', '/photos.2024/x.png', 'photos.2024/x.png']],
    writes: [],
    folders: [['a.md', 'photos.2024']],
  },
  {
    name: 'Eleventy that copies style sheets before pictures',
    files: { 'eleventy.config.js': "c.addPassthroughCopy('css'); c.addPassthroughCopy('img')" },
    resolves: [],
    writes: [],
    folders: [
      ['posts/a.md', 'img'],
      ['posts/a.md', 'img', 'audio'],
    ],
  },
  {
    name: 'Eleventy that copies only style sheets',
    files: { 'eleventy.config.js': "c.addPassthroughCopy('css')" },
    resolves: [],
    writes: [],
    folders: [['posts/a.md', 'posts']],
  },
  {
    name: 'Eleventy with a prefix',
    files: { 'eleventy.config.js': "c.addPassthroughCopy({ public: '/' }); return { pathPrefix: '/sub/' }" },
    resolves: [
      ['a.md', 'inline', '/m/x.png', 'public/m/x.png', '!'],
      ['a.md', 'inline', '/sub/m/x.png', 'public/m/x.png'],
      ['a.njk', 'site', '/m/x.png', 'public/m/x.png'],
      ['public/a.css', 'style', '/sub/m/x.png', 'public/m/x.png'],
      ['public/a.css', 'style', '/m/x.png', 'public/m/x.png', '!'],
    ],
    writes: [
      ['a.md', 'inline', 'public/m/x.png', '/m/x.png', 'url'],
      ['a.njk', 'tag', 'public/m/x.png', '/m/x.png', 'url'],
      ['public/a.css', 'style', 'public/m/x.png', 'm/x.png'],
    ],
  },
  {
    name: 'Eleventy with a prefix and the plugin that adds it',
    files: {
      'eleventy.config.js':
        "c.addPlugin(HtmlBasePlugin); c.addPassthroughCopy({ public: '/' }); return { pathPrefix: '/sub/' }",
      'named.md': '---\npermalink: /deep/name/\n---\n',
      'public/m/there.png': '',
    },
    resolves: [
      ['a.md', 'inline', '/m/x.png', 'public/m/x.png'],
      ['a.md', 'inline', '/sub/m/there.png', 'public/m/there.png', '!'],
      ['named.md', 'inline', 'x.png', 'public/deep/name/x.png'],
    ],
    writes: [['a.md', 'inline', 'public/m/x.png', '/m/x.png']],
  },
  {
    name: 'Eleventy that copies what pages refer to',
    files: { 'eleventy.config.js': "c.addPassthroughCopy('**/*.png', { mode: 'html-relative' })" },
    resolves: [
      ['posts/a.md', 'inline', './x.png', 'posts/x.png'],
      ['posts/a.md', '<audio>', 'x.mp3', 'posts/x.mp3', '!'],
    ],
    writes: [
      ['posts/a.md', 'inline', 'posts/x.png', 'x.png'],
      ['posts/a.md', 'inline', 'media/x.png', '../media/x.png'],
      ['posts/a.md', '<audio>', 'posts/y.mp3', 'y.mp3', '!'],
      ['posts/a.md', 'inline', 'posts/two words.png', 'two words.png', '!'],
    ],
    folders: [['posts/a.md', 'posts']],
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
    name: 'Eleventy with its plugin for pictures, and folders that are set by calls',
    files: {
      'eleventy.config.js':
        "export default (c) => { c.setInputDirectory('content'); c.setOutputDirectory('out/web'); c.addPassthroughCopy({ './public/': '/' }); c.addPlugin(eleventyImageTransformPlugin); };",
      'content/blog/beside.png': '',
      'public/img/there.mp3': '',
    },
    resolves: [
      ['content/blog/hen.md', 'inline', './beside.png', 'content/blog/beside.png'],
      ['content/blog/hen.md', 'inline', 'x.png', 'content/blog/x.png'],
      ['content/blog/hen.md', 'tag', '/blog/beside.png', 'content/blog/beside.png'],
      ['content/blog/hen.md', 'inline', '/img/x.png', 'content/img/x.png'],
      ['content/blog/hen.md', '<audio>', '/img/there.mp3', 'public/img/there.mp3'],
      ['content/blog/hen.md', '<audio>', './x.mp3', 'public/blog/hen/x.mp3'],
      ['content/_includes/a.html', 'tag', '/img/x.png', 'public/img/x.png'],
    ],
    writes: [
      ['content/blog/hen.md', 'inline', 'content/blog/x.png', 'x.png'],
      ['content/blog/hen.md', 'inline', 'public/img/x.png', '../../public/img/x.png'],
      ['content/blog/hen.md', '<audio>', 'public/img/x.mp3', '/img/x.mp3'],
    ],
    folders: [
      ['content/blog/hen.md', 'content/blog'],
      ['content/blog/hen.md', 'public', 'audio'],
    ],
  },
  {
    name: 'Eleventy without literal passthrough copies',
    files: { '.eleventy.js': 'module.exports = (c) => c.addPassthroughCopy(folder)' },
    resolves: [['a.md', 'inline', 'x.png', 'x.png']],
    writes: [['a.md', 'inline', 'img/x.png', 'img/x.png']],
  },
  {
    name: 'MkDocs',
    files: {
      'mkdocs.yml': 'site_name: x\ndocs_dir: manual\nmarkdown_extensions:\n  - x: !!python/name:y.z\n',
      'manual/images/there.png': '',
      'media/there.png': '',
    },
    resolves: [
      ['manual/guide/a.md', 'inline', '../../media/there.png', 'media/there.png', '!'],
      ['manual/guide/a.md', 'inline', '../../images/there.png', 'manual/images/there.png'],
      ['manual/guide/a.md', 'tag', '../images/there.png', 'manual/images/there.png', '!'],
      ['manual/guide/a.md', 'inline', '../img/x.png', 'manual/img/x.png'],
      ['manual/guide/a.md', 'tag', '../../x.mp3', 'manual/x.mp3'],
      ['manual/index.md', 'tag', 'x.mp3', 'manual/x.mp3'],
    ],
    writes: [
      ['manual/guide/a.md', 'inline', 'manual/img/x.png', '../img/x.png'],
      ['manual/guide/a.md', 'tag', 'manual/guide/x.mp3', '../x.mp3'],
      ['manual/guide/index.md', 'tag', 'manual/guide/x.mp3', 'x.mp3'],
      ['README.md', 'inline', 'manual/img/x.png', 'manual/img/x.png'],
      ['manual/guide/a.md', 'inline', 'media/x.png', '../../media/x.png', '!'],
    ],
    folders: [['manual/a.md', 'manual']],
  },
  {
    name: 'Zensical',
    files: {
      'zensical.toml': '[project]\ndocs_dir = "pages"\nuse_directory_urls = false\n',
      'pages/there.mp3': '',
    },
    resolves: [
      ['pages/a.md', 'tag', 'x.mp3', 'pages/x.mp3'],
      ['pages/guide/a.md', 'tag', '../../there.mp3', 'pages/there.mp3', '!'],
      ['pages/guide/a.md', 'tag', '../../x.mp3', undefined],
    ],
    writes: [['pages/a.md', 'tag', 'pages/x.mp3', 'x.mp3']],
  },
  {
    name: 'Sphinx with another first document',
    files: {
      'Doc/conf.py': "root_doc = 'contents'\n",
      'Doc/contents.rst': '',
      'old/conf.py': 'master_doc = "home"',
      'old/home.md': '',
    },
    resolves: [
      ['Doc/a/b.rst', 'macro', '/img/x.png', 'Doc/img/x.png'],
      ['old/a/b.md', 'inline', '/img/x.png', 'old/img/x.png'],
    ],
    writes: [],
  },
  {
    name: 'Sphinx',
    files: { 'docs/conf.py': "html_static_path = ['_static']\n", 'docs/index.rst': '', 'media/talk.mp3': '' },
    resolves: [
      ['docs/guide/a.rst', 'macro', '/img/x.png', 'docs/img/x.png'],
      ['docs/guide/a.rst', 'macro', '../img/x.png', 'docs/img/x.png'],
      ['docs/guide/a.rst', 'macro', 'x\\ y.png', 'docs/guide/x y.png'],
      ['docs/guide/a.rst', 'macro', 'x%20y.png', 'docs/guide/x%20y.png'],
      ['docs/guide/a.md', 'inline', 'x%20y.png', 'docs/guide/x y.png'],
      ['docs/guide/a.md', '<audio>', '../_static/x.mp3', 'docs/_static/x.mp3'],
      ['docs/guide/a.md', '<audio>', '../../media/talk.mp3', 'media/talk.mp3', '!'],
    ],
    writes: [
      ['docs/guide/a.rst', 'macro', 'docs/img/x.png', '../img/x.png'],
      ['docs/guide/a.rst', 'macro', 'media/x.png', '../../media/x.png'],
      ['docs/guide/a.rst', 'inline', 'docs/_static/x.mp3', '../_static/x.mp3'],
      ['docs/guide/a.md', '<audio>', 'docs/_static/x.mp3', '../_static/x.mp3'],
      ['docs/guide/a.md', 'inline', 'docs/guide/two words.png', 'two words.png', '!'],
      ['docs/guide/a.rst', 'inline', 'media/x.mp3', '../../media/x.mp3', '!'],
    ],
    folders: [
      ['docs/guide/a.rst', undefined],
      ['docs/guide/a.rst', 'docs/_static', 'audio'],
      ['docs/guide/a.md', 'docs/_static', 'video'],
    ],
  },
  {
    name: 'Antora',
    files: { 'docs/antora.yml': '', 'docs/modules/ROOT/pages/a.adoc': '', 'docs/modules/guide/pages/b.adoc': '' },
    resolves: [
      ['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'x.png', 'docs/modules/ROOT/images/x.png'],
      ['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'image$x.png', 'docs/modules/ROOT/images/x.png'],
      ['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'guide:y/x.png', 'docs/modules/guide/images/y/x.png'],
      ['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'guide:image$x.png', 'docs/modules/guide/images/x.png'],
      ['docs/modules/ROOT/pages/deep/a.adoc', 'macro', 'other:x.png', undefined],
    ],
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
    name: 'LaTeX whose main file names the folders of its pictures',
    files: {
      'main.tex':
        '% \\graphicspath{{no/}}\n\\documentclass{book}\\graphicspath{{figures/}{art/}}\n\\begin{document}\\input{ch/a}',
      'ch/a.tex': '\\includegraphics{fox}',
      'own/b.tex': '% !TeX root = ../main.tex\n\\includegraphics{fox}',
      'alone/c.tex': '% !TeX root = ../../../outside.tex\n',
      'figures/fox.png': '',
      'art/hen.jpg': '',
    },
    resolves: [
      ['ch/a.tex', 'macro', 'fox', 'figures/fox.png'],
      ['ch/a.tex', 'macro', 'hen', 'art/hen.jpg'],
      ['ch/a.tex', 'macro', 'x', 'figures/x.png'],
      ['own/b.tex', 'macro', 'fox', 'figures/fox.png'],
      ['alone/c.tex', 'macro', 'fox', undefined],
    ],
    writes: [
      ['ch/a.tex', 'macro', 'art/x.png', 'x.png'],
      ['ch/a.tex', 'macro', 'other/x.png', 'other/x.png'],
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
      ['src/a.vue', 'tag', '~@/x.png', undefined],
    ],
    writes: [
      ['docs/a.md', 'inline', 'img/x.png', '../img/x.png'],
      ['docs/a.tsx', 'tag', 'img/x.png', '../img/x.png'],
    ],
    folders: [['docs/a.md', undefined]],
  },
];

/** The form in which an expression is found again. */
const formOfWrapper: Readonly<Record<string, ReferenceForm>> = {
  require: 'module',
  native: 'module',
  import: 'module',
  relativeUrl: 'site',
  url: 'site',
  assetPath: 'macro',
};

describe('Places with', () => {
  for (const { name, files, resolves, writes, folders = [] } of rows) {
    it(name, async () => {
      const project = new RealProject(files);
      try {
        for (const [document, form, address, expected, mark] of resolves) {
          const [kind, element] = formOf(form);
          const target = await project.resolve(document, address, kind, [], element);
          const found = [target?.path, target?.fault];
          const fault = mark === undefined ? undefined : 'notServed';
          assert.deepEqual(found, [expected, fault], `${address} as ${form} in ${document}`);
        }
        for (const [document, form, file, address, around] of writes) {
          const [kind, element] = formOf(form);
          const written = await project.write(document, file, kind, [], element);
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
          const wrapped = around === undefined ? undefined : formOfWrapper[around];
          const escaped = document.endsWith('.rst') && kind === 'macro' ? address : encodeURI(address);
          const back = await project.resolve(document, escaped, wrapped ?? kind, [], element);
          if (around === '!') continue;
          const found = [back?.path, back?.fault];
          assert.deepEqual(found, [file, undefined], `${address} as ${form} in ${document}`);
        }
        for (const [document, folder, kind] of folders) {
          assert.equal(await project.folderFor(document, kind), folder, document);
        }
      } finally {
        project.remove();
      }
    });
  }
});
