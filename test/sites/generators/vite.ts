import type { Generator, Page, Reference, Site } from '../Generator.ts';
import { background, image, imported, inRule, monorepo, sound, soundSource, video } from './references.ts';

const html = '<!doctype html><html><head><title>Site</title></head><body><div id="app"></div>\n%HERE%\n';

/** Pages that every project of Vite has. */
function common(script: string): readonly Page[] {
  return [
    {
      path: 'index.html',
      text: `${html}<script type="module" src="/src/${script}"></script></body></html>\n`,
      from: ['src/assets'],
      references: [
        image('/§.png', 'public/§.png'),
        image('./§.png', 'public/§.png'),
        image('./src/assets/§.png', 'src/assets/§.png'),
        image('/src/assets/§.png', 'src/assets/§.png'),
      ],
    },
    {
      path: 'src/style.css',
      text: '%HERE%\n',
      inserts: ['images'],
      from: ['src/assets'],
      around: inRule,
      references: [background('/§.png', 'public/§.png'), background('./assets/§.png', 'src/assets/§.png')],
    },
  ];
}

const module: readonly Reference[] = [
  imported('./assets/§.png', 'src/assets/§.png'),
  imported('@/assets/§.png', 'src/assets/§.png'),
  imported('./assets/§.mp3', 'src/assets/§.mp3', '<audio controls src={§} />'),
];

function options(plugin: string, base: string): string {
  return `import plugin from '@vitejs/plugin-${plugin}';
import { fileURLToPath } from 'node:url';
export default { plugins: [plugin()], base: '${base}', resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } } };
`;
}

function react(base = '/', more: Partial<Site> = {}): Site {
  const app: Page = {
    path: 'src/App.jsx',
    text: '%HEAD%\nexport function App() {\n  return (\n    <main>\n%HERE%\n    </main>\n  );\n}\n',
    from: ['public', 'src/assets'],
    references: [
      ...module,
      image('/§.png', 'public/§.png'),
      image('./§.png', 'src/§.png'),
      sound('/§.mp3', 'public/§.mp3'),
      ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png')]),
    ],
  };
  return {
    files: {
      'vite.config.js': options('react', base),
      'src/main.jsx':
        "import { createRoot } from 'react-dom/client';\nimport './style.css';\nimport { App } from './App.jsx';\ncreateRoot(document.getElementById('app')).render(<App />);\n",
    },
    pages: [app, ...common('main.jsx')],
    build: [['vite', 'build']],
    output: 'dist',
    base,
    rendered: ['index.html'],
    ...more,
  };
}

function vue(base = '/', more: Partial<Site> = {}): Site {
  const app: Page = {
    path: 'src/App.vue',
    text: '<script setup>\n%HEAD%\n</script>\n\n<template>\n  <main>\n%HERE%\n  </main>\n</template>\n',
    from: ['public', 'src/assets'],
    references: [
      imported('./assets/§.png', 'src/assets/§.png', '<img :src="§" alt="A red fox" />'),
      image('./assets/§.png', 'src/assets/§.png'),
      image('assets/§.png', 'src/assets/§.png'),
      image('@/assets/§.png', 'src/assets/§.png'),
      image('/§.png', 'public/§.png'),
      sound('/§.mp3', 'public/§.mp3'),
      sound('./assets/§.mp3', 'src/assets/§.mp3'),
      soundSource('./assets/§.mp3', 'src/assets/§.mp3'),
      video('./assets/§.mp4', 'src/assets/§.mp4'),
      ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png'), sound(`${base}§.mp3`, 'public/§.mp3')]),
    ],
  };
  return {
    files: {
      'vite.config.js': options('vue', base),
      'src/main.js':
        "import { createApp } from 'vue';\nimport './style.css';\nimport App from './App.vue';\ncreateApp(App).mount('#app');\n",
    },
    pages: [app, ...common('main.js')],
    build: [['vite', 'build']],
    output: 'dist',
    base,
    rendered: ['index.html'],
    ...more,
  };
}

export const viteReact: Generator = {
  name: 'vite-react',
  packages: { vite: '8.3.8', '@vitejs/plugin-react': '6.3.0', react: '19.3.1', 'react-dom': '19.3.1' },
  sites: { 'at the root': react(), 'base path': react('/app/'), 'in a monorepo': react('/', monorepo) },
};

export const viteVue: Generator = {
  name: 'vite-vue',
  packages: { vite: '8.3.8', '@vitejs/plugin-vue': '6.0.11', vue: '3.5.45' },
  quick: ['base path'],
  sites: { 'at the root': vue(), 'base path': vue('/app/'), 'in a monorepo': vue('/app/', monorepo) },
};
