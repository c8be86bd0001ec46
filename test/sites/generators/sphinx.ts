import type { Generator, Page, Reference, Site } from '../Generator.ts';
import { monorepo, picture } from './references.ts';

function directive(address: string, file: string, name = 'image'): Reference {
  return { text: `.. ${name}:: ${address}`, file };
}

const rest: Page = {
  path: 'guide/deep.rst',
  text: ':orphan:\n\nDeep\n====\n\n%HERE%\n',
  from: ['_static', 'images'],
  references: [
    directive('§.png', 'guide/§.png'),
    directive('../images/§.png', 'images/§.png'),
    directive('/images/§.png', 'images/§.png', 'figure'),
    directive('/_static/§.png', '_static/§.png'),
  ],
};

const start: Page = {
  path: 'index.rst',
  text: 'Home\n====\n\n%HERE%\n',
  references: [directive('images/§.png', 'images/§.png')],
};

function site(folder: string, pages: readonly Page[], options: string, more: Partial<Site> = {}): Site {
  const inside = (path: string) => (folder === '' ? path : `${folder}/${path}`);
  const placed = pages.map((page) => ({
    ...page,
    path: inside(page.path),
    from: (page.from ?? []).map(inside),
    references: (page.references ?? []).map((reference) => ({ ...reference, file: inside(reference.file) })),
  }));
  return {
    files: {
      [inside('conf.py')]: `project = 'Site'\nhtml_static_path = ['_static']\nhtml_theme = 'basic'\n${options}`,
      [inside('_static/site.css')]: '',
    },
    pages: placed,
    build: [['sphinx-build', '-q', '-b', 'html', folder || '.', inside('_build/html')]],
    output: inside('_build/html'),
    ...more,
  };
}

export const sphinx: Generator = {
  name: 'sphinx',
  program: { command: 'sphinx-build', debian: 'python3-sphinx python3-myst-parser' },
  quick: true,
  sites: {
    reStructuredText: site('docs', [start, rest], ''),
    'MyST, in a monorepo': site(
      '',
      [
        { path: 'index.md', text: '# Home\n\n%HERE%\n', references: [picture('images/§.png', 'images/§.png')] },
        {
          path: 'guide/deep.md',
          text: '---\norphan: true\n---\n\n# Deep\n\n%HERE%\n',
          from: ['_static', 'images'],
          references: [
            picture('§.png', 'guide/§.png'),
            picture('../images/§.png', 'images/§.png'),
            picture('/images/§.png', 'images/§.png'),
            { text: '```{image} ../images/§.png\n```', file: 'images/§.png' },
          ],
        },
      ],
      "extensions = ['myst_parser']\nexclude_patterns = ['_build']\n",
      monorepo,
    ),
  },
};
