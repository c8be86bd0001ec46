import type { Generator, Page, Site } from '../Generator.ts';
import { image, monorepo, picture, sound, soundSource, video } from './references.ts';

/** @param docs folder of the pages in the project @param base path that is also written by hand */
function pages(docs: string, base = '/'): readonly Page[] {
  const at = (path: string) => `${docs}${path}`;
  return [
    { path: at('index.md'), text: '# Home\n\n[Guide](./guide/deep/page.md)\n\n%HERE%\n', from: [at('public')] },
    {
      path: at('guide/deep/page.md'),
      text: '---\ntitle: A page\n---\n\n# A page\n\n%HERE%\n',
      from: [at('public/img'), at('guide')],
      references: [
        picture('./§.png', at('guide/deep/§.png')),
        picture('§.png', at('guide/deep/§.png')),
        picture('../images/§.png', at('guide/images/§.png')),
        picture('/§.png', at('public/§.png')),
        picture('/img/§.png', at('public/img/§.png')),
        picture('/guide/deep/§.png', at('guide/deep/§.png')),
        picture('/public/images/§.png', at('public/images/§.png')),
        image('./§.png', at('guide/deep/§.png')),
        image('§.png', at('guide/deep/§.png')),
        image('/§.png', at('public/§.png')),
        sound('./§.mp3', at('guide/deep/§.mp3')),
        sound('/§.mp3', at('public/§.mp3')),
        soundSource('./§.mp3', at('guide/deep/§.mp3')),
        video('./§.mp4', at('guide/deep/§.mp4')),
        ...(base === '/' ? [] : [image(`${base}§.png`, at('public/§.png')), sound(`${base}§.mp3`, at('public/§.mp3'))]),
      ],
    },
  ];
}

function site(docs: string, options = '', base = '/', more: Partial<Site> = {}): Site {
  const folder = docs === '' ? '.' : docs.slice(0, -1);
  return {
    files: {
      [`${docs}.vitepress/config.mts`]: `import { defineConfig } from 'vitepress';\nexport default defineConfig({ title: 'Site', ${options} });\n`,
    },
    pages: pages(docs, base),
    build: [['vitepress', 'build', folder]],
    output: `${docs}.vitepress/dist`,
    base,
    ...more,
  };
}

export const vitePress: Generator = {
  name: 'vitepress',
  packages: { vitepress: '1.6.4', vue: '3.5.45' },
  quick: ['base path'],
  sites: {
    'docs folder': site('docs/'),
    'base path': site('docs/', "base: '/repo/',", '/repo/'),
    'in a monorepo, clean addresses': site('', 'cleanUrls: true,', '/', monorepo),
    'source folder': {
      ...site('docs/', "srcDir: './src',"),
      pages: pages('docs/src/'),
    },
  },
};
