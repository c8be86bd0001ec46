import assert from 'node:assert/strict';
import type { LockLine } from '../../../src/manifest/Lock.ts';
import { type Lineless, Orphans } from '../../../src/manifest/Orphans.ts';

const hash = (digit: string) => digit.repeat(64);

describe('Orphans (promise 33)', () => {
  const line = (path: string, output: string, more: Partial<LockLine> = {}): LockLine => ({
    path,
    request: hash('1'),
    output: hash(output),
    ...more,
  });
  /** @param files hashes of the files that are there */
  const orphans = (lines: readonly LockLine[], files: Readonly<Record<string, string>> = {}, sandbox = false) =>
    new Orphans(lines, { of: async (path) => files[path] && hash(files[path]) }, sandbox);
  const entry = (path: string, more: Partial<Lineless> = {}): Lineless => ({
    entry: {
      type: 'request',
      operation: 'generateImage',
      path,
      line: 1,
      model: 'm',
      style: undefined,
      document: undefined,
      further: undefined,
      values: {},
    },
    request: hash('1'),
    local: undefined,
    output: undefined,
    isElsewhere: false,
    ...more,
  });
  const taken = async (lines: readonly LockLine[], found: Lineless, files?: Readonly<Record<string, string>>) =>
    (await orphans(lines, files).takeFor(found))?.path;

  it('give the line of the file in place, else the first whose file is untouched', async () => {
    const lines = [line('c.png', 'c'), line('b.png', 'b'), line('a.png', 'a')];
    assert.equal(await taken(lines, entry('x.png', { output: hash('b') })), 'b.png');
    assert.equal(await taken(lines, entry('x.png', { output: hash('f') })), undefined);
    assert.equal(await taken(lines, entry('x.png'), { 'a.png': 'f', 'b.png': 'b', 'c.png': 'c' }), 'b.png');
    assert.equal(await taken(lines, entry('x.png')), undefined);
    assert.equal(await taken(lines, entry('x.png', { isElsewhere: true })), 'a.png');
  });

  it('give a line once, and again to the same entry', async () => {
    const all = orphans([line('a.png', 'a')], { 'a.png': 'a' });
    assert.equal((await all.takeFor(entry('x.png')))?.path, 'a.png');
    assert.equal(await all.takeFor(entry('y.png')), undefined);
    assert.equal((await all.takeFor(entry('X.png')))?.path, 'a.png');
    assert.deepEqual(all.left, []);
  });

  it('give a line of another request only with its file, and not with a copy of it', async () => {
    const lines = [line('a.png', 'a')];
    const changed = { request: hash('2') };
    assert.equal(await taken(lines, entry('x.png', changed), { 'a.png': 'a' }), undefined);
    assert.equal(await taken(lines, entry('x.png', { ...changed, output: hash('a') })), 'a.png');
    assert.equal(await taken(lines, entry('x.png', { ...changed, output: hash('a') }), { 'a.png': 'a' }), undefined);
    assert.equal(await taken(lines, entry('x.png', { output: hash('a') }), { 'a.png': 'a' }), 'a.png');
  });

  it('give no line of another type, of another kind of entry, or of the sandbox to a service', async () => {
    const files = { 'a.png': 'a' };
    assert.equal(await taken([line('a.png', 'a')], entry('x.webp'), files), undefined);
    assert.equal(await taken([line('a.jpg', 'a')], entry('x.jpeg'), { 'a.jpg': 'a' }), 'a.jpg');
    assert.equal(await taken([line('a.png', 'a', { request: undefined })], entry('x.png'), files), undefined);
    assert.equal(await taken([line('a.png', 'a', { sandbox: true })], entry('x.png'), files), undefined);
    const free = orphans([line('a.png', 'a', { sandbox: true })], files, true);
    assert.equal((await free.takeFor(entry('x.png')))?.path, 'a.png');
    const derived: Lineless['entry'] = { type: 'derived', from: 'b.png', path: 'x.png', line: 1 };
    const made = [line('a.png', 'a', { request: undefined, local: hash('3') })];
    assert.equal(await taken(made, entry('x.png', { entry: derived, local: hash('3') }), files), 'a.png');
    assert.equal(await taken(made, entry('x.png', { entry: derived, local: hash('4') }), files), undefined);
  });
});
