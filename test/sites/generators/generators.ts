import type { Generator } from '../Generator.ts';
import { angular } from './angular.ts';
import { antora, asciidoctor } from './asciidoc.ts';
import { astro, starlight } from './astro.ts';
import { docusaurus } from './docusaurus.ts';
import { eleventy } from './eleventy.ts';
import { gatsby } from './gatsby.ts';
import { hexo } from './hexo.ts';
import { hugo } from './hugo.ts';
import { jekyll } from './jekyll.ts';
import { mkDocs } from './mkDocs.ts';
import { next, nextMdx, nextra } from './next.ts';
import { nuxt } from './nuxt.ts';
import { latex, pandoc } from './papers.ts';
import { sphinx } from './sphinx.ts';
import { svelteKit } from './svelteKit.ts';
import { viteReact, viteVue } from './vite.ts';
import { vitePress } from './vitepress.ts';
import { vuePress } from './vuepress.ts';
import { webpack } from './webpack.ts';

export const generators: readonly Generator[] = [
  vitePress,
  docusaurus,
  astro,
  starlight,
  next,
  nextMdx,
  nextra,
  svelteKit,
  nuxt,
  viteReact,
  viteVue,
  webpack,
  eleventy,
  hugo,
  jekyll,
  hexo,
  gatsby,
  mkDocs,
  sphinx,
  antora,
  asciidoctor,
  angular,
  vuePress,
  pandoc,
  latex,
];
