import type { Generator, Reference, Site } from '../Generator.ts';

function macro(address: string, file: string, name = 'image'): Reference {
  return { text: `${name}::${address}[]`, file };
}

function book(attributes: string, references: readonly Reference[], more: Partial<Site> = {}): Site {
  return {
    files: {},
    pages: [
      {
        path: 'book.adoc',
        text: `= Book\n${attributes}\n== Chapter\n\n%HERE%\n`,
        from: ['images', 'pictures'],
        references,
      },
    ],
    build: [['asciidoctor', 'book.adoc']],
    output: '.',
    ...more,
  };
}

export const asciidoctor: Generator = {
  name: 'asciidoctor',
  program: { command: 'asciidoctor', debian: 'asciidoctor' },
  quick: true,
  sites: {
    plain: book('', [
      macro('§.png', '§.png'),
      macro('images/§.png', 'images/§.png'),
      macro('images/§.mp3', 'images/§.mp3', 'audio'),
      macro('images/§.mp4', 'images/§.mp4', 'video'),
      { text: 'Text image:§.png[] text.', file: '§.png' },
    ]),
    'folder of pictures': book(':imagesdir: pictures\n', [
      macro('§.png', 'pictures/§.png'),
      macro('deep/§.png', 'pictures/deep/§.png'),
      macro('§.mp3', 'pictures/§.mp3', 'audio'),
    ]),
  },
};

const page = {
  path: 'modules/ROOT/pages/index.adoc',
  text: '= Home\n\n%HERE%\n',
  from: ['modules/ROOT/images'],
  references: [
    macro('§.png', 'modules/ROOT/images/§.png'),
    macro('deep/§.png', 'modules/ROOT/images/deep/§.png'),
    macro('image$§.png', 'modules/ROOT/images/§.png'),
    macro('guide:§.png', 'modules/guide/images/§.png'),
    macro('../pages/§.png', 'modules/ROOT/pages/§.png'),
  ],
};

const playbook = `site:
  title: Site
  start_page: docs::index.adoc
content:
  sources:
    - url: .
      branches: HEAD
ui:
  bundle:
    url: ./ui
`;

const git = ['git', '-c', 'user.name=Site', '-c', 'user.email=site@site.invalid'];

export const antora: Generator = {
  name: 'antora',
  packages: { antora: '3.1.15' },
  sites: {
    'one component': {
      files: {
        'antora.yml': 'name: docs\nversion: ~\ntitle: Docs\n',
        'antora-playbook.yml': playbook,
        'ui/layouts/default.hbs': '<!doctype html><title>{{page.title}}</title><main>{{{page.contents}}}</main>\n',
        'ui/layouts/404.hbs': '<!doctype html><title>Not found</title>\n',
        'modules/guide/pages/deep.adoc': '= Deep\n',
      },
      pages: [page, { ...page, path: 'modules/ROOT/pages/deep/page.adoc' }],
      // Antora reads a git repository.
      build: [
        ['git', 'init', '--quiet', '.'],
        ['git', 'add', '--all', '.'],
        [...git, 'commit', '--quiet', '--message', 'Site'],
        ['antora', '--cache-dir', '.cache', 'antora-playbook.yml'],
        ['rm', '-rf', '.git'],
      ],
      output: 'build/site',
    },
  },
};
