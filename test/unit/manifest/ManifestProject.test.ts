import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/JobsInShell.ts';
import { LocalFolder } from '../../../src/library/LocalFolder.ts';
import { acceptAssets } from '../../../src/manifest/acceptAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { placeOutput } from '../../../src/manifest/placeOutput.ts';
import { planAssets } from '../../../src/manifest/plan.ts';

describe('ManifestProject', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'manifest-'));
    await writeFile(join(root, 'media.jsonc'), '{"assets": {}}');
  });
  afterEach(() => rm(root, { recursive: true }));

  const open = () => ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root) });
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  async function* dataOf(text: string) {
    yield Buffer.from(text);
  }

  it('restores a lock line that a crash lost after its file was placed', async () => {
    const line = { path: 'a.png', output: hashOf('new') };
    const crashed = await open();
    await crashed.variants.notePlacing(line);
    await writeFile(join(root, 'a.png'), 'new');
    const project = await open();
    await project.settle();
    assert.deepEqual(project.lock.get('a.png'), line);
    await assert.rejects(readFile(join(root, 'media.lock.jsonl')), { code: 'ENOENT' });
    await project.keepSettled();
    assert.deepEqual(JSON.parse(await readFile(join(root, 'media.lock.jsonl'), 'utf8')), line);
    assert.deepEqual(await project.variants.placings(), []);
  });

  it('does not restore a lock line whose file was not placed', async () => {
    const crashed = await open();
    await crashed.variants.notePlacing({ path: 'a.png', output: hashOf('new') });
    await writeFile(join(root, 'a.png'), 'another');
    const project = await open();
    await project.settle();
    assert.equal(project.lock.get('a.png'), undefined);
  });

  it('replaces only the file that the lock describes', async () => {
    const project = await open();
    const place = (text: string, replaces?: string) =>
      placeOutput(project, 'img/a.png', dataOf(text), {
        replaces,
        lineOf: (output) => ({ path: 'img/a.png', output }),
      });
    await place('one');
    await place('two', hashOf('one'));
    assert.equal(await readFile(join(root, 'img/a.png'), 'utf8'), 'two');
    await assert.rejects(place('three', hashOf('one')), /another program/);
    await assert.rejects(place('three'), /another program/);
    assert.equal(await readFile(join(root, 'img/a.png'), 'utf8'), 'two');
    assert.equal(project.lock.get('img/a.png')?.output, hashOf('two'));
  });

  it('keeps the old file until the new one replaces it, and when that fails', async () => {
    const project = await open();
    await writeFile(join(root, 'a.wav'), 'the only copy of paid paragraphs');
    const { moveIfAbsent, replace } = LocalFolder.prototype;
    const failing = () => Promise.reject(new Error('the disk failed'));
    Object.assign(LocalFolder.prototype, { moveIfAbsent: failing, replace: failing });
    try {
      const placing = placeOutput(project, 'a.wav', dataOf('new'), {
        replaces: hashOf('the only copy of paid paragraphs'),
        lineOf: (output) => ({ path: 'a.wav', output }),
      });
      await assert.rejects(placing, /the disk failed/);
    } finally {
      Object.assign(LocalFolder.prototype, { moveIfAbsent, replace });
    }
    assert.equal(await readFile(join(root, 'a.wav'), 'utf8'), 'the only copy of paid paragraphs');
  });

  it('replaces a Git LFS pointer, which stands for the file in the lock', async () => {
    const project = await open();
    const oid = hashOf('old');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 3\n`;
    await writeFile(join(root, 'a.png'), pointer);
    await placeOutput(project, 'a.png', dataOf('new'), {
      replaces: oid,
      lineOf: (output) => ({ path: 'a.png', output }),
    });
    assert.equal(await readFile(join(root, 'a.png'), 'utf8'), 'new');
  });

  it('keeps a file accepted although a crash left an older lock line for it', async () => {
    const declare = (prompt: string) => {
      const assets = { 'a.png': { operation: 'generateImage', prompt, model: 'm' } };
      return writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    };
    const options = { sandbox: false, speechMaxCharacters: 0, jobs: [] };
    await declare('a fox');
    const crashed = await open();
    const [found] = (await planAssets(crashed, options)).evaluated;
    await crashed.variants.notePlacing({ path: 'a.png', ...found?.origin, output: hashOf('png') });
    await writeFile(join(root, 'a.png'), 'png');
    await declare('a red fox');
    await acceptAssets(await open(), ['a.png'], options);
    const { plan } = await planAssets(await open(), options);
    assert.deepEqual(plan.entries, [{ path: 'a.png', state: 'fresh', reasons: [], requests: 0 }]);
  });

  it('keeps what others wrote to the lock meanwhile', async () => {
    const [one, other] = [await open(), await open()];
    await one.changeLock('a.png', { path: 'a.png', output: hashOf('a') });
    await other.changeLock('b.png', { path: 'b.png', output: hashOf('b') });
    const lines = (await readFile(join(root, 'media.lock.jsonl'), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2);
  });
});
