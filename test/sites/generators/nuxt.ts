import type { Generator, Page, Site } from '../Generator.ts';
import { image, imported, monorepo, sound, soundSource, video } from './references.ts';

function pages(base: string): readonly Page[] {
  return [
    {
      path: 'app/app.vue',
      text: '<script setup>\n%HEAD%\n</script>\n\n<template>\n  <main>\n%HERE%\n  </main>\n</template>\n',
      from: ['public', 'app/assets'],
      references: [
        imported('~/assets/§.png', 'app/assets/§.png', '<img :src="§" alt="A red fox" />'),
        image('~/assets/§.png', 'app/assets/§.png'),
        image('./assets/§.png', 'app/assets/§.png'),
        image('assets/§.png', 'app/assets/§.png'),
        image('/§.png', 'public/§.png'),
        sound('/§.mp3', 'public/§.mp3'),
        sound('~/assets/§.mp3', 'app/assets/§.mp3'),
        soundSource('~/assets/§.mp3', 'app/assets/§.mp3'),
        video('/§.mp4', 'public/§.mp4'),
        ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png'), sound(`${base}§.mp3`, 'public/§.mp3')]),
      ],
    },
  ];
}

function site(base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      'nuxt.config.ts': `export default defineNuxtConfig({ compatibilityDate: '2026-01-01', app: { baseURL: '${base}' } });\n`,
    },
    pages: pages(base),
    build: [['nuxt', 'generate']],
    output: '.output/public',
    base,
    ...more,
  };
}

export const nuxt: Generator = {
  name: 'nuxt',
  packages: { nuxt: '4.5.2', vue: '3.5.45', 'vue-router': '5.5.1' },
  sites: { 'at the root': site(), 'base path, in a monorepo': site('/app/', monorepo) },
};
