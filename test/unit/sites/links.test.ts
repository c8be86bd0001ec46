import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { linksIn } from '../../sites/links.ts';

describe('the link checker of the sites', () => {
  const output = mkdtempSync(join(tmpdir(), 'links-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(output, path)), { recursive: true });
    writeFileSync(join(output, path), text);
  };
  /** Returns the files that the addresses of a page lead to, on a site below `/repo/`. */
  const filesOf = (html: string, path = 'guide/deep/index.html') => {
    write(path, html);
    const own = linksIn(output, '/repo/').filter(({ page }) => page === path);
    return own.map(({ file }) => file);
  };

  before(() => {
    write('img/fox.png', '');
    write('two words.png', '');
    write('guide/deep/beside.png', '');
  });

  after(() => rmSync(output, { recursive: true }));

  it('follows addresses from the page, from the base path, and of this host', () => {
    assert.deepEqual(
      filesOf(`<img src="beside.png"><img src="../../img/fox.png?v=1"><a href="/repo/two%20words.png">x</a>
        <meta property="og:image" content="http://site.invalid/repo/img/fox.png">`),
      ['guide/deep/beside.png', 'img/fox.png', 'two words.png', 'img/fox.png'],
    );
  });

  it('finds no file at an address without the base path, of another host, above the site, or of a folder', () => {
    const addresses = [
      '/img/fox.png',
      'https://example.org/repo/img/fox.png',
      '../../../../img/fox.png',
      '/repo/img',
      '%',
    ];
    assert.deepEqual(
      filesOf(addresses.map((address) => `<img src="${address}">`).join('')),
      addresses.map(() => undefined),
    );
  });

  it('reads sets of sources, styles, the base of a page, and what Next.js makes smaller', () => {
    assert.deepEqual(
      filesOf(
        '<img srcset="/repo/img/fox.png 1x, beside.png 2x"><style>a { background: url("../../img/fox.png") }</style>',
      ),
      ['img/fox.png', 'guide/deep/beside.png', 'img/fox.png'],
    );
    assert.deepEqual(filesOf('<base href="/repo/"><img src="img/fox.png">').at(-1), 'img/fox.png');
    assert.deepEqual(filesOf('<img src="/repo/_next/image?url=%2Frepo%2Fimg%2Ffox.png&amp;w=64">'), ['img/fox.png']);
  });

  it('follows addresses in a style sheet from the style sheet', () => {
    write('css/site.css', 'a { background: url(../img/fox.png) } b { background: url("img/fox.png") }');
    const own = linksIn(output, '/repo/').filter(({ page }) => page === 'css/site.css');
    assert.deepEqual(
      own.map(({ file }) => file),
      ['img/fox.png', undefined],
    );
  });
});
