import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { languageOf } from '../../../src/documents/Language.ts';
import { followReferences } from '../../../src/projects/followReferences.ts';
import { MovedFiles, Moves } from '../../../src/projects/Moves.ts';
import { Places } from '../../../src/projects/Places.ts';
import { RealProject } from './realProject.ts';

type Paths = Readonly<Record<string, string>>;

describe('References', () => {
  let project: RealProject | undefined;

  afterEach(() => {
    project?.remove();
    project = undefined;
  });

  /** Returns a document as it is after moves, and the files that its references lost. */
  async function afterMoves(files: Paths, document: string, moved: Paths) {
    project?.remove();
    project = new RealProject({ ...files });
    const { folder, places } = project;
    const at = (path: string) => posix.join(folder, path);
    const moves = new Moves(Object.entries(moved).map(([from, to]) => ({ from: at(from), to: at(to) })));
    const text = files[document] ?? '';
    const placed = { path: at(document), language: languageOf('', document) };
    const after = new Places(folder, new MovedFiles(project.files, moves));
    const references = findReferences(text, placed.language);
    assert.notEqual(references.length, 0);
    const { changes, lost } = await followReferences(text, references, placed, { before: places, after, moves });
    let changed = text;
    for (const { start, end, text: href } of changes.toSorted((a, b) => b.start - a.start))
      changed = changed.slice(0, start) + href + changed.slice(end);
    return { text: changed, lost: lost.map((path) => posix.relative(folder, path)) };
  }

  const dependsOn = (name: string) => JSON.stringify({ dependencies: { [name]: '1' } });
  const sites: Readonly<
    Record<string, readonly [files: Paths, document: string, moved: Paths, before: string, after: string]>
  > = {
    'of Astro, from the root and imported': [
      { 'astro.config.mjs': 'export default {}', 'public/images/a.png': '', 'src/assets/a.png': '' },
      'src/pages/index.astro',
      { 'public/images/a.png': 'public/images/hero.png', 'src/assets/a.png': 'src/assets/big/b.png' },
      '---\nimport a from "../assets/a.png";\n---\n<img src="/images/a.png" alt="A">\n',
      '---\nimport a from "../assets/big/b.png";\n---\n<img src="/images/hero.png" alt="A">\n',
    ],
    'of Docusaurus, from the root, beside and with an alias': [
      { 'docusaurus.config.js': 'export default {}', 'static/img/a.png': '', 'docs/b.png': '' },
      'docs/a.md',
      { 'static/img/a.png': 'static/img/new/a b.png', 'docs/b.png': 'docs/pics/b.png' },
      '![A](/img/a.png "T") ![B](./b.png) ![C](@site/static/img/a.png)\n',
      '![A](/img/new/a%20b.png "T") ![B](./pics/b.png) ![C](@site/static/img/new/a%20b.png)\n',
    ],
    'of JSX, imported with a query, required and in a tag': [
      { 'vite.config.ts': 'export default {}', 'src/a.png': '', 'public/b.png': '' },
      'src/views/App.jsx',
      { 'src/a.png': 'src/img/c.png', 'public/b.png': 'public/img/b.png' },
      "import a from '../a.png?url';\nconst b = require('../a.png');\nexport const App = () => <img src=\"/b.png\" />;\n",
      "import a from '../img/c.png?url';\nconst b = require('../img/c.png');\nexport const App = () => <img src=\"/img/b.png\" />;\n",
    ],
    'of Next with a base path': [
      {
        'next.config.mjs': "export default { basePath: '/shop' }",
        'package.json': dependsOn('next'),
        'public/a.png': '',
      },
      'app/page.tsx',
      { 'public/a.png': 'public/b.png' },
      'export const Page = () => <img src="/shop/a.png" />;\n',
      'export const Page = () => <img src="/shop/b.png" />;\n',
    ],
    'of Jekyll in expressions': [
      { '_config.yml': '', 'assets/a.png': '' },
      '_posts/2026-01-01-a.md',
      { 'assets/a.png': 'assets/b.png' },
      '---\nimage: /assets/a.png\n---\n![A]({{ "/assets/a.png" | relative_url }})\n',
      '---\nimage: /assets/b.png\n---\n![A]({{ "/assets/b.png" | relative_url }})\n',
    ],
    'of plain Markdown, with their times, queries and entities': [
      { 'talk.mp3': '', 'img/a.png': '' },
      'docs/a.md',
      { 'talk.mp3': 'sound/r&d.mp3', 'img/a.png': 'docs/a.png' },
      '[00:07](../talk.mp3#t=7) <audio src="../talk.mp3?a=1&amp;b#t=3"></audio>\n\n![x](<../img/a.png>)\n\n[x]: ../img/a.png\n',
      '[00:07](../sound/r&d.mp3#t=7) <audio src="../sound/r&amp;d.mp3?a=1&amp;b#t=3"></audio>\n\n![x](<./a.png>)\n\n[x]: ./a.png\n',
    ],
    'of LaTeX without an extension, also in a folder of its own': [
      { 'img/a.png': '', 'b.pdf': '' },
      'a.tex',
      { 'img/a.png': 'img/c.png', 'b.pdf': 'figures/b.pdf' },
      '\\graphicspath{{img/}}\n\\includegraphics{a}\n\\includegraphics{b}\n',
      '\\graphicspath{{img/}}\n\\includegraphics{c}\n\\includegraphics{figures/b}\n',
    ],
    'of style sheets': [
      { 'css/img/a.png': '' },
      'css/a.css',
      { 'css/img': 'css/pictures' },
      '.a { background: url("img/a.png"); } .b { background: url(./img/a.png); }\n',
      '.a { background: url("pictures/a.png"); } .b { background: url(./pictures/a.png); }\n',
    ],
    'in a document that moves': [
      { 'docs/img/a.png': '', 'docs/b.png': '' },
      'docs/a.md',
      { 'docs/a.md': 'docs/more/a.md', 'docs/b.png': 'docs/more/b.png' },
      '![A](img/a.png) ![B](%62.png)\n',
      '![A](../img/a.png) ![B](%62.png)\n',
    ],
    'in a folder of a site that moves with it': [
      { 'web/astro.config.mjs': 'export default {}', 'web/public/a.png': '', 'b.png': '' },
      'web/src/pages/a.md',
      { web: 'sites/web' },
      '![A](/a.png) ![B](../../../b.png)\n',
      '![A](/a.png) ![B](../../../../b.png)\n',
    ],
  };

  for (const [name, [files, document, moved, before, after]] of Object.entries(sites)) {
    it(`${name} follow their files`, async () => {
      assert.deepEqual(await afterMoves({ ...files, [document]: before }, document, moved), { text: after, lost: [] });
    });
  }

  it('name the extension where another file has the name without it', async () => {
    const files = { 'a.tex': '\\includegraphics{a}\n', 'a.pdf': '', 'c.png': '' };
    const { text } = await afterMoves(files, 'a.tex', { 'a.pdf': 'c.pdf' });
    assert.equal(text, '\\includegraphics{c.pdf}\n');
  });

  it('to a missing file in a folder that moves stay as they are', async () => {
    const text = '![A](img/a.png) ![B](img/b.png)\n';
    const followed = await afterMoves({ 'a.md': text, 'img/a.png': '' }, 'a.md', { img: 'pics' });
    assert.deepEqual(followed, { text: text.replace('img/a', 'pics/a'), lost: [] });
  });

  it('to other files, to missing ones and to the web stay as they are', async () => {
    const text = '![A](a.png) ![B](sub/b.png) ![C](https://x.example/b.png) ![D](./b.png)\n';
    const files = { 'a.md': text, 'a.png': '', 'b.png': '' };
    const { text: after } = await afterMoves(files, 'a.md', { 'b.png': 'c.png' });
    assert.equal(after, text.replace('./b.png', './c.png'));
  });

  it('are written as the site needs them where their style cannot lead to the file', async () => {
    const files = { 'docusaurus.config.js': 'export default {}', 'docs/a.md': '![A](/a.png#x)\n', 'static/a.png': '' };
    const { text } = await afterMoves(files, 'docs/a.md', { 'static/a.png': 'docs/img/a.png' });
    assert.equal(text, '![A](./img/a.png#x)\n');
  });

  it('are named when no address leads to the file', async () => {
    const text = 'export const App = () => <img src="/a.png" />;\n';
    const files = { 'vite.config.ts': 'export default {}', 'public/a.png': '', 'src/App.jsx': text };
    const moved = { 'public/a.png': 'elsewhere/a.png' };
    assert.deepEqual(await afterMoves(files, 'src/App.jsx', moved), { text, lost: ['public/a.png'] });
    const page = { 'mkdocs.yml': '', 'docs/a.md': '![A](a.png)\n', 'docs/a.png': '' };
    assert.deepEqual(await afterMoves(page, 'docs/a.md', { 'docs/a.png': 'a.png' }), {
      text: page['docs/a.md'],
      lost: ['docs/a.png'],
    });
  });
});
