import type { Generator, Page, Site } from '../Generator.ts';
import { image, imported, monorepo, picture, sound, video } from './references.ts';

function markdown(path: string, front: string, base: string): Page {
  const folder = path.replace(/\/[^/]*$/, '');
  return {
    path,
    text: `---\n${front}\n---\n\n# A page\n\n%HERE%\n`,
    from: ['public', 'src/assets'],
    references: [
      picture('./§.png', `${folder}/§.png`),
      picture('§.png', `${folder}/§.png`),
      picture('/§.png', 'public/§.png'),
      image('/§.png', 'public/§.png'),
      image('./§.png', `${folder}/§.png`),
      sound('/§.mp3', 'public/§.mp3'),
      video('/§.mp4', 'public/§.mp4'),
      ...(base === '/' ? [] : [picture(`${base}§.png`, 'public/§.png'), image(`${base}§.png`, 'public/§.png')]),
    ],
  };
}

function plain(base = '/', more: Partial<Site> = {}): Site {
  return {
    files: { 'astro.config.mjs': `export default { base: '${base}' };\n` },
    pages: [
      {
        path: 'src/pages/index.astro',
        text: "---\nimport { Image } from 'astro:assets';\n%HEAD%\n---\n<html><head><title>Home</title></head><body><main>\n%HERE%\n</main></body></html>\n",
        from: ['public', 'src/assets'],
        references: [
          imported('../assets/§.png', 'src/assets/§.png', '<Image src={§} alt="A red fox" />'),
          image('/§.png', 'public/§.png'),
          image('./§.png', 'src/pages/§.png'),
          ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png')]),
        ],
      },
      markdown('src/pages/guide/deep.md', 'title: Deep', base),
    ],
    build: [['astro', 'build']],
    output: 'dist',
    base,
    ...more,
  };
}

function star(base = '/', more: Partial<Site> = {}): Site {
  const deep = markdown('src/content/docs/guide/deep.mdx', 'title: Deep', base);
  return {
    files: {
      'astro.config.mjs': `import starlight from '@astrojs/starlight';\nexport default { base: '${base}', site: 'http://site.invalid', integrations: [starlight({ title: 'Site', pagefind: false })] };\n`,
      'src/content.config.ts':
        "import { defineCollection } from 'astro:content';\nimport { docsLoader } from '@astrojs/starlight/loaders';\nimport { docsSchema } from '@astrojs/starlight/schema';\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n",
    },
    pages: [
      markdown('src/content/docs/index.md', 'title: Home', base),
      {
        ...deep,
        text: '---\ntitle: Deep\n---\n%HEAD%\n\n# A page\n\n%HERE%\n',
        references: [
          ...(deep.references ?? []),
          imported('../../../assets/§.png', 'src/assets/§.png', '<img src={§.src} alt="A red fox" />'),
        ],
      },
    ],
    build: [['astro', 'build']],
    output: 'dist',
    base,
    ...more,
  };
}

export const astro: Generator = {
  name: 'astro',
  packages: { astro: '7.3.5' },
  sites: { 'at the root, in a monorepo': plain('/', monorepo), 'base path': plain('/docs/') },
};

export const starlight: Generator = {
  name: 'starlight',
  packages: { astro: '7.3.5', '@astrojs/starlight': '0.42.4' },
  sites: { 'at the root': star(), 'base path': star('/docs/') },
};
