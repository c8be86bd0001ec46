import assert from 'node:assert/strict';
import { type Language, languageOf } from '../../../src/documents/Language.ts';
import type { ReferenceForm } from '../../../src/documents/MediaReference.ts';
import type { AssetKind } from '../../../src/operations/operations.ts';
import { formToWrite } from '../../../src/projects/formatReference.ts';
import { Places, type ReferenceStyle } from '../../../src/projects/Places.ts';
import { RealProject } from './realProject.ts';

describe('Places', () => {
  let project: RealProject | undefined;

  function open(files: Readonly<Record<string, string>>, style?: ReferenceStyle): RealProject {
    project = new RealProject(files, style);
    return project;
  }

  afterEach(() => {
    project?.remove();
    project = undefined;
  });

  it('uses the nearest project of a monorepo, and among several in a folder the one for the document', async () => {
    const { write } = bound(
      open({
        'mkdocs.yml': '',
        'vite.config.ts': '',
        'packages/site/next.config.js': '',
        'packages/site/docs/.vitepress/config.ts': '',
        'packages/other/x.ts': '',
      }),
    );
    assert.equal(await write('docs/a.md', 'docs/x.png', 'inline'), 'x.png');
    assert.equal(await write('src/App.vue', 'public/x.png', 'tag'), '/x.png');
    assert.equal(await write('packages/site/app/page.tsx', 'packages/site/public/x.png', 'tag'), '/x.png');
    assert.equal(await write('packages/site/docs/a.md', 'packages/site/docs/public/x.png', 'inline'), '/x.png');
    assert.equal(await write('packages/other/a.vue', 'public/x.png', 'tag'), '/x.png');
    assert.equal(await write('packages/other/a.md', 'packages/other/x.png', 'inline'), './x.png');
  });

  it('decodes addresses and drops query and fragment', async () => {
    const { resolve } = bound(open({ 'a fox (1).png': '', '雪.png': '', '100%.png': '', 'a+b&c.png': '' }));
    for (const [address, path] of [
      ['a%20fox%20(1).png', 'a fox (1).png'],
      ['a fox %281%29.png', 'a fox (1).png'],
      ['雪.png?v=1#x', '雪.png'],
      ['%E9%9B%AA.png', '雪.png'],
      ['100%.png', '100%.png'],
      ['a+b&c.png', 'a+b&c.png'],
    ] as const) {
      assert.deepEqual(await resolve('a.md', address, 'inline'), { path, exists: true, isOutput: false }, address);
    }
  });

  it('finds a file whose name has the other Unicode form, as macOS and other systems write it', async () => {
    const [nfc, nfd] = ['Größe.png'.normalize('NFC'), 'Größe.png'.normalize('NFD')];
    const pairs: readonly (readonly [named: string, written: string])[] = [
      [nfd, nfc],
      [nfc, nfd],
    ];
    for (const [named, written] of pairs) {
      const { resolve } = bound(open({ [named]: '' }));
      const target = { path: named, exists: true, isOutput: false, fault: 'otherSpelling' };
      assert.deepEqual(await resolve('a.md', encodeURI(written), 'inline'), target);
      assert.equal((await resolve('a.md', encodeURI(named), 'inline'))?.fault, undefined);
    }
  });

  it('reads the names of a folder once for however many missing files (promise 17)', async () => {
    class Names extends Set<string> {
      passes = 0;
      override [Symbol.iterator]() {
        this.passes++;
        return super[Symbol.iterator]();
      }
    }
    const names = new Names(Array.from({ length: 50 }, (_, index) => `${index}.png`));
    names.passes = 0;
    const folders = new Map([['/w', names]]);
    const places = new Places('/w', {
      exists: async (path) => names.has(path.slice('/w/'.length)),
      names: async (path) => folders.get(path) ?? new Set(),
      readText: async () => undefined,
    });
    const document = { path: '/w/a.md', language: 'markdown' } as const;
    for (let index = 0; index < 50; index++) {
      const missing = await places.resolve(document, { form: 'inline', address: `none${index}.png` });
      assert.equal(missing?.exists, false);
      const other = await places.resolve(document, { form: 'inline', address: `${index}.PNG` });
      assert.equal(other?.path, `/w/${index}.png`);
    }
    // Looking for the project's configuration may read them once more.
    assert(names.passes >= 1 && names.passes <= 2, String(names.passes));
  });

  it('writes a name with a colon so that it is not read as a URL', async () => {
    const { resolve, write } = bound(open({ 'take:2.png': '' }));
    assert.equal(await write('a.md', 'take:2.png', 'inline'), './take:2.png');
    assert.equal((await resolve('a.md', './take:2.png', 'inline'))?.path, 'take:2.png');
    assert.equal(await write('docs/a.md', 'take:2.png', 'inline'), '../take:2.png');
  });

  it('finds a file whose name or folder has another case, but only where it is the right one', async () => {
    const { resolve } = bound(open({ 'docs/img/hero.png': '', 'docs/IMG/other.png': '', 'img/Exact.png': '' }));
    const other = (path: string) => ({ path, exists: true, isOutput: false, fault: 'otherSpelling' });
    assert.deepEqual(await resolve('docs/a.md', 'img/Hero.PNG', 'inline'), other('docs/img/hero.png'));
    assert.deepEqual(await resolve('docs/a.md', '/IMG/exact.png', 'inline'), other('img/Exact.png'));
    assert.equal((await resolve('docs/a.md', 'img/hero.png', 'inline'))?.fault, undefined);
    assert.equal((await resolve('docs/a.md', 'img/hero.jpg', 'inline'))?.exists, false);
  });

  it('finds a file at a root address below a folder that a server without a known framework may serve', async () => {
    const files = {
      'web/public/img/logo.png': '',
      'web/public/index.html': '',
      'shop/static/a.css': '',
      'shop/b.png': '',
    };
    const { resolve, write } = bound(open(files));
    const found = async (document: string, address: string, form: ReferenceForm) => {
      const target = await resolve(document, address, form);
      return [target?.path, target?.exists, target?.fault];
    };
    const logo = ['web/public/img/logo.png', true, undefined];
    assert.deepEqual(await found('web/public/index.html', '/img/logo.png', 'tag'), logo);
    assert.deepEqual(await found('web/public/css/app.css', '/img/logo.png', 'style'), logo);
    assert.deepEqual(await found('web/views/deep/index.ejs', '/img/logo.png', 'site'), logo);
    assert.deepEqual(await found('shop/static/a.css', '/b.png', 'style'), ['shop/b.png', true, undefined]);
    const gone = ['web/public/img/gone.png', false, undefined];
    assert.deepEqual(await found('web/public/index.html', '/img/gone.png', 'tag'), gone);
    assert.deepEqual(await found('other/a.html', '/img/logo.png', 'tag'), ['img/logo.png', false, undefined]);
    assert.equal(await write('web/public/index.html', 'web/public/x.png', 'site'), '/x.png');
    assert.equal(await write('web/public/index.html', 'web/public/x.png', 'tag'), 'x.png');
  });

  it('does not resolve web addresses, data URLs or paths outside the workspace folder', async () => {
    const { resolve } = bound(open({ 'docs/a.md': '' }));
    for (const address of [
      'https://x.org/a.png',
      '//x.org/a.png',
      'data:image/png;base64,AA',
      '../../a.png',
      'C:/a.png',
      'a\0.png',
      '%00.png',
      '',
    ]) {
      assert.equal(await resolve('docs/a.md', address, 'inline'), undefined, address);
    }
  });

  it('recognises files that a build writes', async () => {
    const { resolve } = bound(open({ 'hugo.toml': '', 'content/a.md': '', 'next/next.config.js': '' }));
    const isOutput = async (document: string, address: string) =>
      (await resolve(document, address, 'inline'))?.isOutput;
    assert.equal(await isOutput('content/index.md', '../public/x.png'), true);
    assert.equal(await isOutput('content/index.md', '../static/x.png'), false);
    assert.equal(await isOutput('README.md', 'node_modules/x/y.png'), true);
    assert.equal(await isOutput('README.md', 'outer/x.png'), false);
    assert.equal(await isOutput('README.md', 'build/x.png'), true);
  });

  it('recognises documents that a build writes, and returns project-relative names', async () => {
    const dependency = { 'node_modules/x/docusaurus.config.js': '' };
    const site = { 'website/docusaurus.config.js': '', 'website/docs/a.md': '' };
    const project = open({ 'hugo.toml': '', ...site, ...dependency });
    const { places, folder } = project;
    const placed = (path: string, language: Language = 'markdown') => ({ path: `${folder}/${path}`, language });
    assert.equal(await places.isOutput(placed('public/index.html', 'html')), true);
    assert.equal(await places.isOutput(placed('content/a.md')), false);
    assert.equal(await places.isOutput(placed('website/build/a.md')), true);
    assert.equal(await places.isOutput(placed('node_modules/x/docs/a.md')), true);
    assert.equal(await places.nameIn(placed('website/docs/a.md'), `${folder}/website/static/x.png`), 'static/x.png');
    assert.equal(await places.nameIn(placed('website/docs/a.md'), `${folder}/other/x.png`), 'other/x.png');
    assert.equal(places.relativePath(`${folder}/website/static/`), 'website/static');
  });

  it('always writes relative addresses when the style is "relative"', async () => {
    const { write, resolve } = bound(open({ 'docusaurus.config.js': '' }, 'relative'));
    assert.equal(await write('docs/a.md', 'static/x.png', 'inline'), '../static/x.png');
    assert.equal((await resolve('docs/a.md', '/x.png', 'inline'))?.path, 'x.png');
  });

  it('applies the configured prefixes, longest first', async () => {
    const style = { '/': 'site/static', '/shop/': './shop/files/', 'cdn:': '../elsewhere', '': 'x' };
    const { write, resolve } = bound(open({ 'docs/a.md': '' }, style));
    assert.equal(await write('docs/a.md', 'site/static/img/x.png', 'inline'), '/img/x.png');
    assert.equal(await write('docs/a.md', 'shop/files/x.png', 'inline'), '/shop/x.png');
    assert.equal(await write('docs/a.md', 'docs/x.png', 'inline'), 'x.png');
    assert.equal(await write('docs/a.md', '../elsewhere/x.png', 'inline'), '../../elsewhere/x.png');
    assert.equal((await resolve('docs/a.md', '/img/x.png', 'tag'))?.path, 'site/static/img/x.png');
    assert.equal((await resolve('docs/a.md', '/shop/x.png', 'tag'))?.path, 'shop/files/x.png');
    assert.equal((await resolve('docs/a.md', 'x.png', 'tag'))?.path, 'docs/x.png');
    assert.equal(await resolve('docs/a.md', 'cdn:x.png', 'tag'), undefined);
  });

  it('ends a configured prefix with a slash', async () => {
    const { write, resolve } = bound(open({ 'docs/a.md': '' }, { '/img': 'static/img', '@': 'src' }));
    assert.equal(await write('docs/a.md', 'static/img/x.png', 'inline'), '/img/x.png');
    assert.equal(await write('docs/a.md', 'src/x.png', 'inline'), '@/x.png');
    assert.equal((await resolve('docs/a.md', '/img/x.png', 'inline'))?.path, 'static/img/x.png');
    assert.equal((await resolve('docs/a.md', '/imgs/x.png', 'inline'))?.path, 'imgs/x.png');
  });

  it('searches the folders that LaTeX and AsciiDoc documents declare', async () => {
    const { write, resolve } = bound(open({ 'main.tex': '\\documentclass{a}', 'b/fox.png': '', 'hen.png': '' }));
    assert.equal((await resolve('main.tex', 'fox', 'macro', ['a/', 'b/']))?.path, 'b/fox.png');
    assert.equal((await resolve('main.tex', 'hen', 'macro', ['a/', 'b/']))?.path, 'hen.png');
    assert.equal((await resolve('main.tex', 'owl', 'macro', ['a/', 'b/']))?.path, 'a/owl.png');
    assert.equal(await write('main.tex', 'b/fox.png', 'macro', ['a/', 'b/']), 'fox.png');
    assert.equal(await write('main.tex', 'c/fox.png', 'macro', ['a/', 'b/']), 'c/fox.png');
    assert.equal((await resolve('docs/a.adoc', 'fox.png', 'macro', ['../b']))?.path, 'b/fox.png');
    assert.equal((await resolve('docs/a.adoc', 'hen.png', 'macro', ['img']))?.path, 'docs/img/hen.png');
    assert.equal(await write('docs/a.adoc', 'b/fox.png', 'macro', ['../b']), 'fox.png');
    assert.equal(await write('docs/a.adoc', 'hen.png', 'macro', ['../b']), '../hen.png');
  });

  it('writes links of LaTeX and AsciiDoc without the folders for pictures', async () => {
    const main = '\\documentclass{a}\\graphicspath{{media/}}';
    const { write } = bound(open({ 'main.tex': main, 'ch/a.tex': '% !TeX root = ../main.tex\n' }));
    const linked = (document: string, file: string, kind: AssetKind, folders: readonly string[]) =>
      write(document, file, formToWrite(languageOf('', document), kind), folders);
    assert.equal(await linked('main.tex', 'media/a.png', 'images', ['media/']), 'a.png');
    for (const kind of ['speech', 'videos', 'transcripts'] as const) {
      assert.equal(await linked('main.tex', 'media/a.mp3', kind, ['media/']), 'media/a.mp3');
      assert.equal(await linked('ch/a.tex', 'media/a.mp3', kind, []), 'media/a.mp3');
    }
    assert.equal(await linked('docs/a.adoc', 'docs/img/a.mp3', 'speech', ['img']), 'a.mp3');
    assert.equal(await linked('docs/a.adoc', 'docs/img/a.md', 'transcripts', ['img']), 'img/a.md');
    assert.equal(await linked('docs/a.adoc', 'docs/a.md', 'transcripts', ['img']), 'a.md');
  });

  it('resolves an AsciiDoc images folder that starts with a slash within the site', async () => {
    const { write, resolve } = bound(open({ 'hugo.toml': '', 'content/a.adoc': '' }));
    assert.equal((await resolve('content/a.adoc', 'x.png', 'macro', ['/images']))?.path, 'static/images/x.png');
    assert.equal(await write('content/a.adoc', 'static/images/x.png', 'macro', ['/images']), 'x.png');
  });

  it('handles Windows drives', async () => {
    const asked: string[] = [];
    const files = {
      exists: async (path: string) => asked.push(path) < 0,
      names: async () => new Set<string>(),
      readText: async () => undefined,
    };
    const places = new Places('/C:/work', files);
    const document = { path: '/c:/work/docs/a.md', language: 'markdown' as Language };
    const target = await places.resolve(document, { form: 'inline', address: 'img\\x.png' });
    assert.equal(target?.path, '/c:/work/docs/img/x.png');
    const write = async (file: string) => (await places.write(document, file, { form: 'inline' })).address;
    assert.equal(await write('/C:/work/img/x.png'), '../img/x.png');
    assert.equal(await write('/d:/x.png'), 'd:/x.png');
    assert(
      asked.every((path) => path.startsWith('/c:/work/')),
      'nothing above the workspace folder may be read',
    );
  });

  it("searches only the document's own folder outside the workspace folder", async () => {
    const asked: string[] = [];
    const files = {
      exists: async (path: string) => asked.push(path) < 0,
      names: async () => new Set<string>(),
      readText: async () => undefined,
    };
    const document = { path: '/elsewhere/deep/a.md', language: 'markdown' as Language };
    const { address } = await new Places('/work', files).write(document, '/elsewhere/x.png', { form: 'inline' });
    assert.equal(address, '../x.png');
    assert(asked.length > 0 && asked.every((path) => path.startsWith('/elsewhere/deep/')));
  });

  it('reads configurations again after forgetProjects', async () => {
    const changing = open({ 'docs/a.md': '', 'next.config.js': '' });
    const { write } = bound(changing);
    assert.equal(await write('app/page.tsx', 'public/x.png', 'tag'), '/x.png');
    changing.create('next.config.js', "export default { basePath: '/shop' }");
    assert.equal(await write('app/page.tsx', 'public/x.png', 'tag'), '/x.png');
    changing.places.forgetProjects();
    assert.equal(await write('app/page.tsx', 'public/x.png', 'tag'), '/shop/x.png');
  });
});

function bound(project: RealProject) {
  return {
    resolve: (...values: Parameters<RealProject['resolve']>) => project.resolve(...values),
    write: async (...values: Parameters<RealProject['write']>) => (await project.write(...values)).address,
  };
}
