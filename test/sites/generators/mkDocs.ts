import type { Generator, Page, Site } from '../Generator.ts';
import { image, monorepo, picture, sound, video } from './references.ts';

function pages(hasBlocks: boolean): readonly Page[] {
  const blocks = hasBlocks
    ? [
        { text: '!!! note\n\n    ![A red fox](../images/§.png)', file: 'docs/images/§.png' },
        { text: '=== "One"\n\n    ![A red fox](../images/§.png)', file: 'docs/images/§.png' },
      ]
    : [];
  return [
    {
      path: 'docs/index.md',
      text: '# Home\n\n%HERE%\n',
      from: ['docs/images'],
      references: [picture('images/§.png', 'docs/images/§.png'), image('images/§.png', 'docs/images/§.png')],
    },
    {
      path: 'docs/guide/deep.md',
      text: '# Deep\n\n%HERE%\n',
      from: ['docs/images'],
      references: [
        picture('§.png', 'docs/guide/§.png'),
        picture('../images/§.png', 'docs/images/§.png'),
        image('../images/§.png', 'docs/images/§.png'),
        image('../../images/§.png', 'docs/images/§.png'),
        sound('../../audio/§.mp3', 'docs/audio/§.mp3'),
        video('../§.mp4', 'docs/guide/§.mp4'),
        { text: '![A red fox][§]\n\n[§]: ../images/§.png', file: 'docs/images/§.png' },
        ...blocks,
      ],
    },
  ];
}

function site(options: string, hasBlocks = false, base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      'mkdocs.yml': `site_name: Site\nsite_url: http://site.invalid${base}\n${options}`,
    },
    pages: pages(hasBlocks),
    build: [['mkdocs', 'build', '--quiet']],
    output: 'site',
    base,
    ...more,
  };
}

const material = `theme:
  name: material
  font: false
markdown_extensions:
  - admonition
  - attr_list
  - pymdownx.tabbed:
      alternate_style: true
`;

export const mkDocs: Generator = {
  name: 'mkdocs',
  program: { command: 'mkdocs', debian: 'mkdocs mkdocs-material' },
  quick: true,
  sites: {
    'at the root, in a monorepo': site('', false, '/', monorepo),
    'pages are files': site('use_directory_urls: false\n'),
    'Material, base path': site(material, true, '/book/'),
  },
};
