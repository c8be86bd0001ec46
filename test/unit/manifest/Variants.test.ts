import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { hashOf } from '../../../src/files/sha256.ts';
import { keepLine, keptNarrations } from '../../../src/manifest/keptNarrations.ts';
import type { LockLine } from '../../../src/manifest/Lock.ts';
import { Variants } from '../../../src/manifest/Variants.ts';
import { mountDisk } from '../../support/mountDisk.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const request = hashOf('a request');
const line: LockLine = { path: 'a.png', request, output: hashOf('first') };

describe('variants in the git folder', () => {
  let root: string;
  let key: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'variants-')));
    await mkdir(join(root, 'main/.git/objects'), { recursive: true });
    await writeFile(join(root, 'main/.git/HEAD'), 'ref: refs/heads/main\n');
    key = variantsIn('main').keyFor('a.png', request, false);
  });
  afterEach(() => rm(root, { recursive: true }));

  const variantsIn = (tree: string) => new Variants(join(root, tree), join(root, tree));
  const shared = (...names: readonly string[]) => join(root, 'main/.git/unified-media/variants', ...names);
  const names = (folder: string) => readdir(folder).catch((): string[] => []);

  /** Makes a linked work tree. */
  async function addTree(name: string): Promise<void> {
    const own = join(root, 'main/.git/worktrees', basename(name));
    await mkdir(own, { recursive: true });
    await mkdir(join(root, name));
    await writeFile(join(root, name, '.git'), `gitdir: ${own}\n`);
    await writeFile(join(own, 'commondir'), '../..\n');
    await writeFile(join(own, 'gitdir'), `${join(root, name, '.git')}\n`);
  }
  /** Makes variants with these contents. */
  async function make(tree: string, ...contents: readonly string[]): Promise<void> {
    const folder = join(variantsIn(tree).folder, key);
    await mkdir(folder, { recursive: true });
    for (const [index, content] of contents.entries())
      await writeFile(join(folder, index === 0 ? 'variant.png' : `variant-${index + 1}.png`), content);
  }
  async function share(tree: string, ...contents: readonly string[]): Promise<void> {
    await make(tree, ...contents);
    const variants = variantsIn(tree);
    await variants.share(key);
    assert.equal(variants.fate()?.includes('lost') ?? false, false, variants.fate());
  }
  async function takenBack(tree: string, of: LockLine | undefined = line): Promise<readonly string[]> {
    const variants = variantsIn(tree);
    const foretold = await variants.canTakeBack(key, of);
    const before = await variants.list(key);
    await variants.takeBack(key, of);
    const found = await variants.list(key);
    assert.equal(found.length > before.length, foretold);
    return Promise.all(found.map((one) => readFile(variants.fileOf(key, one), 'utf8')));
  }
  /** Gives the only set that has a content an age in seconds. */
  async function age(content: string, seconds: number): Promise<void> {
    for (const id of await readdir(shared(key))) {
      const time = Date.now() / 1000 - seconds;
      if ((await readFile(shared(key, id, 'variant.png'), 'utf8')) === content)
        await utimes(shared(key, id), time, time);
    }
  }

  it('are those of all work trees, and outlive them', async () => {
    await addTree('tree');
    await share('tree', 'first', 'second');
    await rm(join(root, 'tree'), { recursive: true });
    assert.deepEqual(await takenBack('main'), ['first', 'second']);
    assert.equal(await readFile(join(variantsIn('main').folder, '.gitignore'), 'utf8'), '*\n');
  });

  it('are kept once, however often that is asked for and by whom', async () => {
    await addTree('tree');
    await Promise.all([share('tree', 'first', 'second'), share('main', 'first', 'second')]);
    await share('tree', 'first', 'second');
    const [id = '', ...others] = await readdir(shared(key));
    assert.deepEqual(others, []);
    assert.deepEqual((await readdir(shared(key, id))).sort(), ['variant-2.png', 'variant.png']);
  });

  it('are copied where a work tree is on another disk', async function () {
    using disk = mountDisk('size=1m');
    skipUnless(this, disk.isReal, 'root on Linux');
    const tree = join(relative(root, await realpath(disk.path)), 'tree');
    await addTree(tree);
    await share(tree, 'first', 'second');
    assert.deepEqual(await takenBack('main'), ['first', 'second']);
  });

  it('of two work trees that both paid for them do not replace each other', async () => {
    await addTree('tree');
    await addTree('other');
    await share('tree', 'first', 'second');
    await share('other', 'third', 'fourth');
    for (const old of ['first', 'third']) {
      for (const content of ['first', 'third']) await age(content, content === old ? 100 : 0);
      // That of the lock, then the newest.
      assert.deepEqual(await takenBack('main'), ['first', 'second']);
      await rm(variantsIn('main').folder, { recursive: true });
      const newest = old === 'first' ? ['third', 'fourth'] : ['first', 'second'];
      assert.deepEqual(await takenBack('main', { ...line, output: hashOf('resized') }), newest);
      await rm(variantsIn('main').folder, { recursive: true });
    }
    assert.deepEqual(await takenBack('tree'), ['first', 'second']);
    assert.deepEqual(await takenBack('other'), ['third', 'fourth']);
  });

  it('come back only for what the lock names, and never for the sandbox', async () => {
    await share('main', 'first', 'second');
    await rm(variantsIn('main').folder, { recursive: true });
    const variants = variantsIn('main');
    await variants.takeBack(key, undefined);
    const others = [
      { path: 'b.png' },
      { request: hashOf('another') },
      { request: undefined },
      { sandbox: true as const },
    ];
    for (const other of others) assert.deepEqual(await takenBack('main', { ...line, ...other }), []);
    assert.deepEqual(await names(variants.folder), []);
    assert.deepEqual(await takenBack('main'), ['first', 'second']);
  });

  it('complete what a process that was killed has begun to take back, and mix with nothing else', async () => {
    await share('main', 'first', 'second', 'third');
    await rm(variantsIn('main').folder, { recursive: true });
    await make('main', 'first', 'second');
    assert.deepEqual(await takenBack('main'), ['first', 'second', 'third']);
    await rm(variantsIn('main').folder, { recursive: true });
    await make('main', 'first', 'changed');
    assert.deepEqual(await takenBack('main'), ['first', 'changed']);
  });

  it('do not come back damaged or incomplete, and are made whole by the next process', async () => {
    await share('main', 'first', 'second');
    const [id = ''] = await readdir(shared(key));
    await rm(variantsIn('main').folder, { recursive: true });
    await rm(shared(key, id, 'variant-2.png'));
    await writeFile(shared(key, id, '.left.part'), 'sec');
    assert.deepEqual(await takenBack('main'), []);
    await share('main', 'first', 'second');
    await rm(variantsIn('main').folder, { recursive: true });
    assert.deepEqual(await takenBack('main'), ['first', 'second']);
    await rm(variantsIn('main').folder, { recursive: true });
    await writeFile(shared(key, id, 'variant-2.png'), 'SECOND');
    assert.deepEqual(await takenBack('main'), []);
  });

  it('go with those in the project, unless another work tree was given others', async () => {
    await addTree('tree');
    await share('main', 'first');
    await share('tree', 'third');
    await variantsIn('main').remove(key);
    assert.deepEqual(await takenBack('main', { ...line, output: hashOf('resized') }), ['third']);
    await variantsIn('main').remove(key);
    assert.deepEqual(await names(shared(key)), []);
  });

  it('are told once they are several, and also if they could not be kept', async () => {
    const variants = variantsIn('main');
    await make('main', 'first');
    await variants.share(key);
    assert.equal(variants.fate(), undefined);
    await make('main', 'first', 'second');
    await variants.share(key);
    assert.match(variants.fate() ?? '', /stay on this computer/);
    await rm(shared(), { recursive: true });
    await writeFile(shared(), 'a file');
    await variants.share(key);
    assert.match(variants.fate() ?? '', /could not be kept in the git folder as well \(.+\)/);
  });

  it('stay in the project alone where there is no repository', async () => {
    await mkdir(join(root, 'plain'));
    await make('plain', 'first', 'second');
    const variants = variantsIn('plain');
    await variants.share(key);
    assert.equal(variants.fate(), undefined);
    assert.deepEqual((await readdir(root)).sort(), ['main', 'plain']);
  });

  it('are neither written nor read through a link out of the git folder (promise 41)', async () => {
    await mkdir(join(root, 'outside', 'variants'), { recursive: true });
    await symlink(join(root, 'outside'), join(root, 'main/.git/unified-media'), 'junction');
    await make('main', 'first', 'second');
    const variants = variantsIn('main');
    await variants.share(key);
    assert.match(variants.fate() ?? '', /could not be kept/);
    assert.deepEqual(await readdir(join(root, 'outside/variants')), []);
    await rm(variants.folder, { recursive: true });
    await rm(join(root, 'main/.git/unified-media'));
    await share('main', 'first', 'second');
    await rm(variants.folder, { recursive: true });
    await rm(join(root, 'outside'), { recursive: true });
    await mkdir(join(root, 'outside'));
    for (const name of await readdir(shared())) {
      await mkdir(join(root, 'outside', name));
      for (const id of await readdir(shared(name))) {
        await mkdir(join(root, 'outside', name, id));
        for (const file of await readdir(shared(name, id)))
          await link(shared(name, id, file), join(root, 'outside', name, id, file));
      }
    }
    await rm(shared(), { recursive: true });
    await symlink(join(root, 'outside'), shared(), 'junction');
    assert.deepEqual(await takenBack('main'), []);
  });

  it('have the narrations that were replaced, for a path that is locked', async () => {
    await addTree('tree');
    const tree = variantsIn('tree');
    await mkdir(join(tree.folder, 'kept'), { recursive: true });
    for (const name of ['one.mp3', 'two.mp3', 'hero.png']) await writeFile(join(tree.folder, 'kept', name), name);
    const blocks = [{ key: hashOf('block'), start: 0, end: 7 }];
    for (const name of ['one.mp3', 'two.mp3']) {
      await keepLine(tree, name, { path: 'a.mp3', output: hashOf(name), blocks });
      await tree.share('kept', name);
    }
    await rm(join(root, 'tree'), { recursive: true });
    const main = variantsIn('main');
    const found = await keptNarrations(main, 'a.mp3', { path: 'a.mp3', output: '' });
    assert.deepEqual(found.map(({ sha256 }) => sha256).sort(), [hashOf('one.mp3'), hashOf('two.mp3')].sort());
    assert.deepEqual(await keptNarrations(main, 'a.mp3', undefined), []);
    assert.deepEqual(await keptNarrations(main, 'b.mp3', { path: 'b.mp3', output: '' }), []);
    assert.deepEqual(await names(main.folder), []);
  });
});
