import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { languageOf } from '../../../src/documents/Language.ts';
import type { ReferenceForm } from '../../../src/documents/MediaReference.ts';
import { findMissing } from '../../../src/projects/Places.ts';
import { RealProject } from './realProject.ts';

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Document, form, address, and the path that is missing; `?` where nothing shows that it is served. */
  readonly missing?: readonly (readonly [string, ReferenceForm, string, string | undefined, '?'?])[];
  /** Document, form, file, and the address; `import` where it is imported. */
  readonly writes?: readonly (readonly [string, ReferenceForm, string, string, 'import'?])[];
  /** Document and the folder for new pictures. */
  readonly folders?: readonly (readonly [string, string | undefined])[];
}

const manifest = (name: string) => JSON.stringify({ dependencies: { [name]: '1.0.0' } });

const rows: readonly Row[] = [
  {
    name: 'Rspress: public files beside the pages',
    files: { 'package.json': manifest('@rspress/core'), 'docs/public/img/q.png': '', 'docs/guide/a.mdx': '' },
    missing: [
      ['docs/guide/a.mdx', 'inline', '/img/gone.png', 'docs/public/img/gone.png'],
      ['docs/guide/a.md', 'inline', '/img/gone.png', 'docs/public/img/gone.png'],
      ['docs/guide/a.md', 'inline', './gone.png', 'docs/guide/gone.png'],
      ['README.md', 'inline', 'img/gone.png', 'img/gone.png'],
    ],
    writes: [
      ['docs/guide/a.mdx', 'inline', 'docs/public/img/q.png', '/img/q.png'],
      ['docs/guide/a.mdx', 'tag', 'docs/public/img/q.png', '/img/q.png'],
      ['docs/guide/a.md', 'inline', 'docs/guide/q.png', './q.png'],
      ['README.md', 'inline', 'docs/public/img/q.png', 'docs/public/img/q.png'],
    ],
    folders: [
      ['docs/guide/a.mdx', 'docs/public/img'],
      ['README.md', undefined],
    ],
  },
  {
    name: 'Waku: public files beside package.json',
    files: { 'package.json': manifest('waku'), 'public/q.png': '', 'src/pages/deep/a.tsx': '' },
    missing: [
      ['src/pages/deep/a.tsx', 'tag', '/img/gone.png', 'public/img/gone.png'],
      ['src/pages/deep/a.tsx', 'tag', 'gone.png', 'public/gone.png'],
      ['src/styles.css', 'style', '/img/gone.png', 'public/img/gone.png'],
      ['docs/notes.md', 'inline', '/img/gone.png', 'img/gone.png'],
    ],
    writes: [
      ['src/pages/deep/a.tsx', 'tag', 'public/q.png', '/q.png'],
      ['src/styles.css', 'style', 'public/q.png', '/q.png'],
      ['src/styles.css', 'style', 'src/q.png', 'q.png'],
      ['docs/notes.md', 'inline', 'public/q.png', '../public/q.png'],
    ],
    folders: [['src/pages/deep/a.tsx', 'public']],
  },
  {
    name: 'a project in JavaScript that imports its pictures',
    files: {
      'package.json': manifest('waku'),
      'public/q.png': '',
      'src/b.tsx': "import fox from './fox.png';\n",
      'src/fox.png': '',
    },
    writes: [
      ['src/a.tsx', 'tag', 'src/hen.png', './hen.png', 'import'],
      ['src/a.tsx', 'tag', 'public/q.png', '/q.png'],
    ],
  },
  {
    name: 'Express with templates of Handlebars',
    files: { 'package.json': manifest('express'), 'public/css/a.css': '', 'views/index.hbs': '' },
    missing: [
      ['views/index.hbs', 'tag', '/img/gone.png', 'public/img/gone.png'],
      ['public/css/a.css', 'style', '../img/gone.png', 'public/img/gone.png'],
    ],
    writes: [
      ['views/index.hbs', 'tag', 'public/img/q.png', '/img/q.png'],
      ['public/css/a.css', 'style', 'public/img/q.png', '../img/q.png'],
    ],
    folders: [['views/index.hbs', 'public']],
  },
  {
    name: 'Express that serves a folder of no usual name',
    files: {
      'package.json': manifest('express'),
      'client/img/fox.png': '',
      'client/img/hen.png': '',
      'views/b.hbs': '<img src="/img/fox.png"><img src="/img/hen.png">',
    },
    missing: [['views/a.hbs', 'tag', '/img/gone.png', 'client/img/gone.png']],
    writes: [['views/a.hbs', 'tag', 'client/img/q.png', '/img/q.png']],
  },
  {
    name: 'a folder that holds the file of one address by chance',
    files: {
      'package.json': manifest('express'),
      'drafts/img/fox.png': '',
      'views/a.hbs': '<img src="/img/fox.png">',
    },
    missing: [['views/a.hbs', 'tag', '/img/gone.png', 'img/gone.png', '?']],
  },
  {
    name: 'Django with files of an app',
    files: { 'manage.py': '', 'package.json': '{}', 'shop/static/shop/q.png': '', 'shop/templates/shop/a.html': '' },
    missing: [
      ['shop/templates/shop/a.html', 'tag', '/static/shop/gone.png', 'shop/static/shop/gone.png'],
      ['shop/templates/shop/a.html', 'tag', '/img/gone.png', 'img/gone.png', '?'],
    ],
    writes: [['shop/templates/shop/a.html', 'tag', 'shop/static/shop/q.png', '/static/shop/q.png']],
    folders: [['shop/templates/shop/a.html', 'shop/static']],
  },
  {
    name: 'Phoenix, Spring and ASP.NET',
    files: {
      'phoenix/mix.exs': '',
      'phoenix/priv/static/a.txt': '',
      'spring/pom.xml': '',
      'spring/src/main/resources/static/a.txt': '',
      'net/Program.cs': '',
      'net/wwwroot/a.txt': '',
    },
    missing: [
      ['phoenix/lib/a.njk', 'tag', '/gone.png', 'phoenix/priv/static/gone.png'],
      ['spring/src/main/resources/templates/a.html', 'tag', '/gone.png', 'spring/src/main/resources/static/gone.png'],
      ['net/Views/a.twig', 'tag', '/gone.png', 'net/wwwroot/gone.png'],
    ],
    writes: [['spring/src/main/resources/templates/a.html', 'tag', 'spring/src/main/resources/static/q.png', '/q.png']],
  },
  {
    name: 'a base path that two working addresses show',
    files: {
      'package.json': manifest('waku'),
      'public/img/fox.png': '',
      'public/img/hen.png': '',
      'src/b.tsx': '<img src="/docs/img/fox.png" /><img src="/docs/img/hen.png" />',
    },
    missing: [
      ['src/a.tsx', 'tag', '/docs/img/gone.png', 'public/img/gone.png'],
      ['src/a.tsx', 'tag', '/img/gone.png', 'img/gone.png', '?'],
    ],
    writes: [['src/a.tsx', 'tag', 'public/img/q.png', '/docs/img/q.png']],
  },
  {
    name: 'a base path that one address shows by chance',
    files: { 'package.json': manifest('waku'), 'public/fox.png': '', 'src/a.tsx': '<img src="/img/fox.png" />' },
    missing: [['src/a.tsx', 'tag', '/img/gone.png', 'public/img/gone.png']],
  },
  {
    name: 'nothing that shows what is served',
    files: { '.git/HEAD': '', 'package.json': manifest('x'), 'src/fox.png': '' },
    missing: [
      ['src/a.tsx', 'tag', '/img/gone.png', 'img/gone.png', '?'],
      ['src/a.tsx', 'tag', 'gone.png', 'src/gone.png', '?'],
      ['src/a.tsx', 'module', './gone.png', 'src/gone.png'],
      ['src/a.css', 'style', '/img/gone.png', 'img/gone.png', '?'],
      ['src/a.css', 'style', 'gone.png', 'src/gone.png'],
      ['views/a.hbs', 'tag', 'gone.png', 'views/gone.png', '?'],
      ['src/a.mdx', 'inline', './gone.png', 'src/gone.png'],
      ['docs/a.md', 'inline', '/img/gone.png', 'img/gone.png'],
    ],
  },
  {
    name: 'a plain site below the folder of its index.html',
    files: { '.git/HEAD': '', 'site/index.html': '', 'site/guide/a.html': '', 'site/css/a.css': '' },
    missing: [
      ['site/guide/a.html', 'tag', '/img/gone.png', 'site/img/gone.png'],
      ['site/guide/a.html', 'tag', 'gone.png', 'site/guide/gone.png'],
      ['site/css/a.css', 'style', '/img/gone.png', 'site/img/gone.png'],
    ],
    writes: [['site/guide/a.html', 'tag', 'site/img/q.png', '../img/q.png']],
  },
  {
    name: 'a page beside the folder that a bundler serves',
    files: { 'package.json': manifest('express'), 'public/a.txt': '', 'index.html': '' },
    missing: [
      ['index.html', 'tag', '/gone.png', 'public/gone.png'],
      ['public/help.html', 'tag', '/gone.png', 'public/gone.png'],
    ],
  },
  {
    name: 'a plain site in a folder of its own',
    files: { 'package.json': manifest('express'), 'public/a.txt': '', 'site/index.html': '' },
    missing: [['site/a.html', 'tag', '/gone.png', 'site/gone.png']],
  },
  {
    name: 'Parcel, HonKit and Marp',
    files: {
      'parcel/package.json': manifest('parcel'),
      'parcel/src/index.html': '',
      'honkit/package.json': manifest('honkit'),
      'honkit/guide/a.md': '',
      'marp/package.json': manifest('@marp-team/marp-cli'),
    },
    missing: [
      ['parcel/src/index.html', 'tag', '/img/gone.png', 'parcel/img/gone.png'],
      ['parcel/src/index.html', 'tag', 'gone.png', 'parcel/src/gone.png'],
      ['honkit/guide/a.md', 'inline', '../img/gone.png', 'honkit/img/gone.png'],
      ['marp/a.md', 'inline', 'gone.png', 'marp/gone.png'],
    ],
    writes: [
      ['parcel/src/index.html', 'tag', 'parcel/img/q.png', '../img/q.png'],
      ['honkit/guide/a.md', 'inline', 'honkit/img/q.png', '../img/q.png'],
      ['marp/a.md', 'inline', 'marp/q.png', 'q.png'],
    ],
  },
];

describe('Places in a project that is not listed:', () => {
  for (const { name, files, missing = [], writes = [], folders = [] } of rows) {
    it(name, async () => {
      const project = new RealProject(files);
      try {
        for (const [document, form, address, path, mark] of missing) {
          const target = await project.resolve(document, address, form);
          const found = [target?.path, target?.exists, target?.fault, target?.isGuess];
          const expected = [path, false, undefined, mark === undefined ? undefined : true];
          assert.deepEqual(found, expected, `${address} as ${form} in ${document}`);
        }
        for (const [document, form, file, address, wrapper] of writes) {
          const { isServed, ...written } = await project.write(document, file, form);
          assert.deepEqual(written, { address, ...(wrapper ? { wrapper } : {}) }, `${file} in ${document}`);
          assert(isServed);
        }
        for (const [document, folder] of folders) assert.equal(await project.folderFor(document), folder, document);
      } finally {
        project.remove();
      }
    });
  }

  it('follows the habit of invented generators, and pays for nothing unasked without one', async () => {
    const folders = ['public', 'static', 'web', 'client', 'htdocs'];
    const bases = ['/', '/docs/', '/a/b/'];
    const documents = ['src/a.jsx', 'src/pages/deep/a.jsx', 'views/a.hbs', 'src/a.mdx'];
    for (const folder of folders) {
      for (const base of bases) {
        for (const document of documents) {
          const form = document.endsWith('.mdx') ? 'inline' : 'tag';
          const working = ['img/fox.png', 'img/hen.png'];
          const text = working.map((name) => `<img src="${base}${name}" />`).join('\n');
          const media = Object.fromEntries(working.map((name) => [`${folder}/${name}`, '']));
          const shown = new RealProject({ 'package.json': '{}', ...media, [document]: text });
          const bare = new RealProject({ 'package.json': '{}', 'htdocs/img/fox.png': '', [document]: '' });
          try {
            const at = `${folder} at ${base} in ${document}`;
            const address = `${base}img/gone.png`;
            const target = await shown.resolve(document, address, form);
            assert.deepEqual([target?.path, target?.isGuess], [`${folder}/img/gone.png`, undefined], at);
            const written = await shown.write(document, `${folder}/img/owl.png`, form);
            assert.deepEqual(written, { address: `${base}img/owl.png`, isServed: true }, at);
            assert.equal((await bare.resolve(document, address, form))?.isGuess, true, at);
          } finally {
            shown.remove();
            bare.remove();
          }
        }
      }
    }
  });

  it('takes the folder that a person chose, and offers those that may be meant', async () => {
    const files = { 'package.json': '{}', 'client/img/a.png': '', 'src/a.tsx': '', 'docs/a.md': '', LICENSE: 'x' };
    const before = new RealProject(files);
    const after = new RealProject(files, { '/': 'client' });
    try {
      const document = { path: `${before.folder}/src/a.tsx`, language: 'jsx' } as const;
      assert.deepEqual(await before.places.foldersToServe(document), ['client', 'docs', 'src', '']);
      for (const address of ['/img/gone.png', 'img/gone.png']) {
        assert.equal((await before.resolve('src/a.tsx', address, 'tag'))?.isGuess, true);
        const target = await after.resolve('src/a.tsx', address, 'tag');
        assert.deepEqual([target?.path, target?.isGuess], ['client/img/gone.png', undefined], address);
      }
      assert.equal((await after.write('src/a.tsx', 'client/b.png', 'tag')).address, '/b.png');
      assert.equal((await after.write('docs/a.md', 'docs/b.png', 'inline')).address, 'b.png');
    } finally {
      before.remove();
      after.remove();
    }
  });

  it('calls a missing file a guess only if all references to it are', async () => {
    const text = '<img src="/img/gone.png"><img src="/img/other.png"><link rel="icon" href="../img/gone.png">';
    const project = new RealProject({ 'pages/a.html': text });
    try {
      const files = await findMissing(findReferences(text, languageOf('', 'a.html')), {
        resolve: async ({ address, form }) => {
          const target = await project.resolve('pages/a.html', address, form);
          return target;
        },
        filesNamed: async () => [],
      });
      assert.deepEqual(
        files.map(({ path, isGuess }) => [path, isGuess]),
        [
          ['img/gone.png', false],
          ['img/other.png', true],
        ],
      );
    } finally {
      project.remove();
    }
  });
});
