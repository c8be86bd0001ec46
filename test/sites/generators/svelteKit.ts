import type { Generator, Page, Site } from '../Generator.ts';
import { image, imported, monorepo, sound } from './references.ts';

function pages(base: string): readonly Page[] {
  const references = [
    image('/§.png', 'static/§.png'),
    sound('/§.mp3', 'static/§.mp3'),
    imported('$lib/assets/§.png', 'src/lib/assets/§.png'),
    imported('./§.png', 'src/routes/§.png'),
    image('./§.png', 'src/routes/§.png'),
    { text: '<enhanced:img src="./§.png" alt="A red fox" />', file: 'src/routes/§.png' },
    { text: '<enhanced:img src="$lib/assets/§.png" alt="A red fox" />', file: 'src/lib/assets/§.png' },
    { text: '<img src={asset(\'/§.png\')} alt="A red fox" />', file: 'static/§.png' },
    ...(base === '/' ? [] : [image(`${base}§.png`, 'static/§.png')]),
  ];
  const script = `<script>\nimport { asset } from '$app/paths';\n%HEAD%\n</script>\n\n<main>\n%HERE%\n</main>\n`;
  return [{ path: 'src/routes/+page.svelte', text: script, from: ['static', 'src/lib/assets'], references }];
}

/** The project that `sv create` makes: the options stand in Vite's configuration. */
function site(base = '/', more: Partial<Site> = {}): Site {
  const paths = base === '/' ? '' : `, paths: { base: '${base.slice(0, -1)}' }`;
  return {
    files: {
      'vite.config.js': `import adapter from '@sveltejs/adapter-static';
import { enhancedImages } from '@sveltejs/enhanced-img';
import { sveltekit } from '@sveltejs/kit/vite';
export default { plugins: [enhancedImages(), sveltekit({ adapter: adapter()${paths}, prerender: { handleHttpError: 'warn' } })] };
`,
      'src/app.html':
        '<!doctype html><html><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>\n',
      'src/routes/+layout.js': 'export const prerender = true;\n',
    },
    pages: pages(base),
    build: [['vite', 'build']],
    output: 'build',
    base,
    ...more,
  };
}

/** The older form, with a configuration of its own. */
function classic(base: string): Site {
  const now = site(base);
  return {
    ...now,
    files: {
      ...now.files,
      'vite.config.js':
        "import { enhancedImages } from '@sveltejs/enhanced-img';\nimport { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [enhancedImages(), sveltekit()] };\n",
      'svelte.config.js': `import adapter from '@sveltejs/adapter-static';\nexport default { kit: { adapter: adapter(), paths: { base: '${base.slice(0, -1)}' }, prerender: { handleHttpError: 'warn' } } };\n`,
    },
  };
}

export const svelteKit: Generator = {
  name: 'sveltekit',
  packages: {
    '@sveltejs/kit': '2.70.4',
    '@sveltejs/adapter-static': '3.0.10',
    '@sveltejs/enhanced-img': '1.0.0',
    '@sveltejs/vite-plugin-svelte': '7.3.1',
    svelte: '5.57.3',
    vite: '8.3.8',
  },
  quick: ['configuration of its own'],
  sites: {
    'as sv creates it': site(),
    'base path, in a monorepo': site('/app/', monorepo),
    'configuration of its own': classic('/app/'),
  },
};
