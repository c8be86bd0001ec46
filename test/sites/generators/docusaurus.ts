import type { Generator, Page, Site } from '../Generator.ts';
import { background, image, imported, inRule, monorepo, picture, sound } from './references.ts';

function pages(base: string): readonly Page[] {
  const withBase = base === '/' ? [] : [image(`${base}img/§.png`, 'static/img/§.png')];
  return [
    {
      path: 'docs/intro.md',
      text: '---\nslug: /\n---\n\n# Introduction\n\n%HERE%\n',
      references: [picture('./§.png', 'docs/§.png'), picture('/img/§.png', 'static/img/§.png')],
    },
    {
      path: 'docs/guide/deep.mdx',
      text: "%HEAD%\nimport useBaseUrl from '@docusaurus/useBaseUrl';\n\n# Deep\n\n%HERE%\n",
      from: ['static/img', 'docs/images'],
      references: [
        picture('./§.png', 'docs/guide/§.png'),
        picture('§.png', 'docs/guide/§.png'),
        picture('../images/§.png', 'docs/images/§.png'),
        picture('/img/§.png', 'static/img/§.png'),
        picture('@site/static/img/§.png', 'static/img/§.png'),
        image('./§.png', 'docs/guide/§.png'),
        image('/img/§.png', 'static/img/§.png'),
        sound('/audio/§.mp3', 'static/audio/§.mp3'),
        imported('./§.png', 'docs/guide/§.png'),
        imported('@site/static/img/§.png', 'static/img/§.png'),
        { text: '<img src={require(\'./§.png\').default} alt="A red fox" />', file: 'docs/guide/§.png' },
        { text: '<img src={useBaseUrl(\'/img/§.png\')} alt="A red fox" />', file: 'static/img/§.png' },
        { text: '![A red fox][§]\n\n[§]: ./§.png', file: 'docs/guide/§.png' },
        ...withBase,
      ],
    },
    {
      path: 'blog/2026-01-01-post.md',
      text: '# Post\n\n%HERE%\n',
      references: [picture('./§.png', 'blog/§.png'), picture('/img/§.png', 'static/img/§.png')],
    },
    {
      path: 'blog/2026-01-02-front-§.md',
      text: '---\ntitle: Front\n%HERE%\n---\n\nText\n',
      inserts: [],
      around: (text) => text,
      references: [
        { text: 'image: /img/§.png', file: 'static/img/§.png' },
        { text: 'image: img/§.png', file: 'static/img/§.png' },
        { text: 'image: ./§.png', file: 'blog/§.png' },
      ],
    },
    {
      path: 'src/pages/index.js',
      text: "%HEAD%\nimport Layout from '@theme/Layout';\nimport useBaseUrl from '@docusaurus/useBaseUrl';\n\nexport default function Home() {\n  return (\n    <Layout>\n      <main>\n%HERE%\n      </main>\n    </Layout>\n  );\n}\n",
      references: [
        image('/img/§.png', 'static/img/§.png'),
        imported('@site/static/img/§.png', 'static/img/§.png'),
        { text: '<img src={useBaseUrl(\'/img/§.png\')} alt="A red fox" />', file: 'static/img/§.png' },
      ],
    },
    {
      path: 'src/css/custom.css',
      text: '%HERE%\n',
      inserts: ['images'],
      around: inRule,
      references: [background('/img/§.png', 'static/img/§.png'), background('./§.png', 'src/css/§.png')],
    },
  ];
}

function site(base = '/', more: Partial<Site> = {}): Site {
  const options = {
    title: 'Site',
    url: 'http://site.invalid',
    baseUrl: base,
    onBrokenLinks: 'warn',
    presets: [
      [
        'classic',
        {
          docs: { routeBasePath: 'docs' },
          blog: { onUntruncatedBlogPosts: 'ignore' },
          theme: { customCss: './src/css/custom.css' },
        },
      ],
    ],
  };
  return {
    files: {
      'package.json': '{ "name": "site", "private": true, "dependencies": { "@docusaurus/core": "3.10.2" } }',
      'docusaurus.config.js': `export default ${JSON.stringify(options, null, 2)};\n`,
    },
    pages: pages(base),
    build: [['docusaurus', 'build']],
    output: 'build',
    base,
    ...more,
  };
}

export const docusaurus: Generator = {
  name: 'docusaurus',
  packages: {
    '@docusaurus/core': '3.10.2',
    '@docusaurus/preset-classic': '3.10.2',
    '@mdx-js/react': '3.1.1',
    react: '19.3.1',
    'react-dom': '19.3.1',
  },
  sites: { 'at the root': site(), 'base path, in a monorepo': site('/project/', monorepo) },
};
