import type { Generator, Page, Reference, Site } from '../Generator.ts';
import { background, image, imported, inRule, monorepo, picture, sound, video } from './references.ts';

function references(base: string, asset: string): readonly Reference[] {
  return [
    image('/§.png', 'public/§.png'),
    sound('/§.mp3', 'public/§.mp3'),
    video('/§.mp4', 'public/§.mp4'),
    { text: '<Image src="/§.png" alt="A red fox" width={90} height={90} />', file: 'public/§.png' },
    imported(`${asset}§.png`, 'assets/§.png', '<Image src={§} alt="A red fox" />'),
    imported('@/assets/§.png', 'assets/§.png', '<Image src={§} alt="A red fox" />'),
    ...(base === '/' ? [] : [image(`${base}§.png`, 'public/§.png')]),
  ];
}

function options(base: string, more = ''): string {
  const path = base === '/' ? '' : `basePath: '${base.slice(0, -1)}', `;
  return `{ output: 'export', ${path}images: { unoptimized: true }${more} }`;
}

const files = {
  'jsconfig.json': '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["./*"] } } }\n',
} as const;
const layout =
  "import './globals.css';\n\nexport default function Layout({ children }) {\n  return (\n    <html><body>{children}</body></html>\n  );\n}\n";

function component(path: string, base: string, asset: string): Page {
  return {
    path,
    text: "import Image from 'next/image';\n%HEAD%\n\nexport default function Home() {\n  return (\n    <main>\n%HERE%\n    </main>\n  );\n}\n",
    from: ['public'],
    references: references(base, asset),
  };
}

function app(base = '/', more: Partial<Site> = {}): Site {
  return {
    files: { ...files, 'next.config.mjs': `export default ${options(base)};\n`, 'app/layout.jsx': layout },
    pages: [
      component('app/page.jsx', base, '../assets/'),
      component('app/guide/deep/page.jsx', base, '../../../assets/'),
      {
        path: 'app/globals.css',
        text: '%HERE%\n',
        inserts: ['images'],
        around: inRule,
        references: [background('/§.png', 'public/§.png'), background('../assets/§.png', 'assets/§.png')],
      },
    ],
    build: [['next', 'build']],
    output: 'out',
    base,
    ...more,
  };
}

function pagesRouter(base = '/', more: Partial<Site> = {}): Site {
  return {
    ...app(base, more),
    files: { ...files, 'next.config.mjs': `export default ${options(base)};\n` },
    pages: [component('pages/index.jsx', base, '../assets/'), component('pages/guide/deep.jsx', base, '../../assets/')],
  };
}

function markdownReferences(base: string, folder: string): readonly Reference[] {
  return [
    picture('/§.png', 'public/§.png'),
    picture('./§.png', `${folder}/§.png`),
    image('/§.png', 'public/§.png'),
    sound('/§.mp3', 'public/§.mp3'),
    ...(base === '/' ? [] : [picture(`${base}§.png`, 'public/§.png'), image(`${base}§.png`, 'public/§.png')]),
  ];
}

function mdx(base = '/', more: Partial<Site> = {}): Site {
  return {
    ...app(base, more),
    files: {
      ...files,
      'next.config.mjs': `import createMDX from '@next/mdx';\nexport default createMDX()(${options(base, ", pageExtensions: ['jsx', 'mdx']")});\n`,
      'app/layout.jsx': layout,
      'app/globals.css': '',
      'mdx-components.jsx': 'export function useMDXComponents() {\n  return {};\n}\n',
    },
    pages: [
      {
        path: 'app/guide/page.mdx',
        text: '%HEAD%\n\n# A page\n\n%HERE%\n',
        from: ['public'],
        references: [
          ...markdownReferences(base, 'app/guide'),
          imported('../../assets/§.png', 'assets/§.png', '<img src={§.src} alt="A red fox" />'),
        ],
      },
    ],
  };
}

function withNextra(base = '/', more: Partial<Site> = {}): Site {
  return {
    ...app(base, more),
    files: {
      ...files,
      'next.config.mjs': `import nextra from 'nextra';\nexport default nextra({})(${options(base)});\n`,
      'mdx-components.js':
        "import { useMDXComponents as theme } from 'nextra-theme-docs';\nexport function useMDXComponents(components) {\n  return { ...theme(), ...components };\n}\n",
      'app/layout.jsx':
        "import { getPageMap } from 'nextra/page-map';\nimport { Layout } from 'nextra-theme-docs';\nimport 'nextra-theme-docs/style.css';\n\nexport default async function Root({ children }) {\n  return (\n    <html lang=\"en\"><body><Layout pageMap={await getPageMap()}>{children}</Layout></body></html>\n  );\n}\n",
      'app/[[...mdxPath]]/page.jsx':
        "import { generateStaticParamsFor, importPage } from 'nextra/pages';\nimport { useMDXComponents } from '../../mdx-components';\nexport const generateStaticParams = generateStaticParamsFor('mdxPath');\nconst Wrapper = useMDXComponents().wrapper;\nexport default async function Page(props) {\n  const params = await props.params;\n  const { default: Content, toc, metadata, sourceCode } = await importPage(params.mdxPath);\n  return <Wrapper toc={toc} metadata={metadata} sourceCode={sourceCode}><Content {...props} params={params} /></Wrapper>;\n}\n",
    },
    pages: [
      // Nextra compiles all that lies in its content, and fails at sounds and videos.
      {
        path: 'content/index.mdx',
        text: '# Home\n\n%HERE%\n',
        beside: ['images'],
        references: markdownReferences(base, 'content'),
      },
      {
        path: 'content/guide/deep.mdx',
        text: '%HEAD%\n\n# Deep\n\n%HERE%\n',
        beside: ['images'],
        from: ['public'],
        references: [...markdownReferences(base, 'content/guide'), picture('../images/§.png', 'content/images/§.png')],
      },
    ],
  };
}

const react = { react: '19.3.1', 'react-dom': '19.3.1' };

export const next: Generator = {
  name: 'next',
  packages: { next: '16.4.6', ...react },
  sites: {
    'app folder': app(),
    'app folder, base path, in a monorepo': app('/docs/', monorepo),
    'pages folder': pagesRouter(),
    'pages folder, base path': pagesRouter('/docs/'),
  },
};

export const nextMdx: Generator = {
  name: 'next-mdx',
  packages: { next: '16.4.6', '@next/mdx': '16.4.6', '@mdx-js/loader': '3.1.1', '@mdx-js/react': '3.1.1', ...react },
  sites: { 'at the root': mdx(), 'base path': mdx('/docs/') },
};

export const nextra: Generator = {
  name: 'nextra',
  // The theme fails with Zod 4.4 and later (https://github.com/shuding/nextra/issues/4989).
  packages: { next: '15.5.29', nextra: '4.6.1', 'nextra-theme-docs': '4.6.1', zod: '4.3.6', ...react },
  sites: { 'at the root': withNextra(), 'base path': withNextra('/docs/') },
};
