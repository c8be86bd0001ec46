import type { Generator, Page, Site } from '../Generator.ts';
import { image, monorepo, picture, sound, soundSource } from './references.ts';

function pages(base: string): readonly Page[] {
  return [
    {
      path: 'docs/README.md',
      text: '# Home\n\n%HERE%\n',
      references: [picture('/§.png', 'docs/.vuepress/public/§.png')],
    },
    {
      path: 'docs/guide/deep.md',
      text: '# Deep\n\n%HERE%\n',
      from: ['docs/.vuepress/public', 'docs/images'],
      references: [
        picture('./§.png', 'docs/guide/§.png'),
        picture('§.png', 'docs/guide/§.png'),
        picture('../images/§.png', 'docs/images/§.png'),
        picture('/§.png', 'docs/.vuepress/public/§.png'),
        image('/§.png', 'docs/.vuepress/public/§.png'),
        sound('/§.mp3', 'docs/.vuepress/public/§.mp3'),
        sound('./§.mp3', 'docs/guide/§.mp3'),
        soundSource('./§.mp3', 'docs/guide/§.mp3'),
        ...(base === '/' ? [] : [picture(`${base}§.png`, 'docs/.vuepress/public/§.png')]),
      ],
    },
  ];
}

function site(base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      'docs/.vuepress/config.js': `import { viteBundler } from '@vuepress/bundler-vite';
import { defineUserConfig } from 'vuepress';
export default defineUserConfig({
  base: '${base}',
  bundler: viteBundler(),
  theme: { name: 'plain' },
});
`,
      'docs/.vuepress/client.js':
        "import { defineClientConfig } from 'vuepress/client';\nimport Layout from './Layout.vue';\nexport default defineClientConfig({ layouts: { Layout } });\n",
      'docs/.vuepress/Layout.vue':
        "<script setup>\nimport { Content } from 'vuepress/client';\n</script>\n\n<template>\n  <main><Content /></main>\n</template>\n",
    },
    pages: pages(base),
    build: [['vuepress', 'build', 'docs']],
    output: 'docs/.vuepress/dist',
    base,
    ...more,
  };
}

export const vuePress: Generator = {
  name: 'vuepress',
  packages: { vuepress: '2.0.0-rc.31', '@vuepress/bundler-vite': '2.0.0-rc.31', vue: '3.5.45' },
  sites: { 'at the root': site(), 'base path, in a monorepo': site('/book/', monorepo) },
};
