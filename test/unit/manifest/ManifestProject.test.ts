import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { acceptAssets, chooseVariant, typedPath } from '../../../src/manifest/acceptAssets.ts';
import { placeOutput } from '../../../src/manifest/finishAsset.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';

describe('ManifestProject (promise 39)', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'manifest-'));
    await writeFile(join(root, 'media.jsonc'), '{"assets": {"a.png": {"from": "b.png"}}}');
  });
  afterEach(() => rm(root, { recursive: true }));

  const open = () =>
    ManifestProject.open(join(root, 'media.jsonc'), {
      root,
      library: libraryIn(root),
      store: new Store(join(root, 'work')),
    });
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  async function* dataOf(text: string) {
    yield Buffer.from(text);
  }

  it('restores a lock line that a crash lost after its file was placed', async () => {
    const line = { path: 'a.png', output: hashOf('new') };
    const crashed = await open();
    await crashed.notePlacing(line);
    await writeFile(join(root, 'a.png'), 'new');
    const project = await open();
    await project.settle();
    assert.deepEqual(project.lock.get('a.png'), line);
    await assert.rejects(readFile(join(root, 'media.lock.jsonl')), { code: 'ENOENT' });
    await project.keepSettled();
    assert.deepEqual(JSON.parse(await readFile(join(root, 'media.lock.jsonl'), 'utf8')), line);
    assert.deepEqual(await project.placings(), []);
  });

  it('reads a manifest again once its file has changed, whatever its text in the editor is', async () => {
    const options = { root, library: libraryIn(root), store: new Store(join(root, 'work')) };
    const text = '{"assets": {"c.png": {"from": "b.png"}}}';
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { ...options, text });
    assert.equal(await project.readChanged(), undefined);
    await writeFile(join(root, 'media.jsonc'), '{"assets": {"d.png": {"from": "b.png"}}}');
    assert.equal((await project.readChanged())?.manifest.entries[0]?.path, 'd.png');
  });

  it('follows no link into a reserved folder, whatever its name is', async () => {
    for (const name of ['.git', 'GIT~1', '.Unified-Media']) {
      await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, name, 'a.png'), 'secret');
      await symlink(join(root, name), join(root, `to-${name}`), 'junction');
      await assert.rejects((await open()).hashes.of(`to-${name}/a.png`), { kind: 'invalidInput' });
    }
  });

  it('removes what a killed process has left of a file that it was placing', async () => {
    const project = await open();
    const left = join(root, project.temporaryFor('a.png'));
    await writeFile(left, 'half');
    await placeOutput(project, 'a.png', dataOf('new'), undefined, (output) => ({ path: 'a.png', output }));
    await assert.rejects(readFile(left), { code: 'ENOENT' });
    // It was killed after the file got its name.
    await project.notePlacing({ path: 'a.png', output: hashOf('new') });
    await writeFile(left, 'new');
    const next = await open();
    await next.settle();
    await next.keepSettled();
    await assert.rejects(readFile(left), { code: 'ENOENT' });
  });

  it('restores a lock line after the folder was renamed, and leaves no note', async () => {
    const line = { path: 'a.png', output: hashOf('new') };
    const crashed = await open();
    await crashed.notePlacing(line);
    await writeFile(join(root, 'a.png'), 'new');
    const renamed = `${root}-renamed`;
    await rename(root, renamed);
    root = renamed;
    const project = await open();
    await project.settle();
    await project.keepSettled();
    assert.deepEqual(JSON.parse(await readFile(join(root, 'media.lock.jsonl'), 'utf8')), line);
    assert.deepEqual(await readdir(join(root, '.unified-media', 'variants')), []);
  });

  it('does not restore a lock line whose file was not placed', async () => {
    const crashed = await open();
    await crashed.notePlacing({ path: 'a.png', output: hashOf('new') });
    await writeFile(join(root, 'a.png'), 'another');
    const project = await open();
    await project.settle();
    assert.equal(project.lock.get('a.png'), undefined);
  });

  it('replaces only the file that the lock describes', async () => {
    const project = await open();
    const place = (text: string, replaces?: string) =>
      placeOutput(project, 'img/a.png', dataOf(text), replaces, (output) => ({ path: 'img/a.png', output }));
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
      const placing = placeOutput(
        project,
        'a.wav',
        dataOf('new'),
        hashOf('the only copy of paid paragraphs'),
        (output) => ({ path: 'a.wav', output }),
      );
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
    await placeOutput(project, 'a.png', dataOf('new'), oid, (output) => ({ path: 'a.png', output }));
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
    await crashed.notePlacing({ path: 'a.png', ...found?.origin, output: hashOf('png') });
    await writeFile(join(root, 'a.png'), 'png');
    await declare('a red fox');
    await acceptAssets(await open(), ['a.png'], options);
    const { plan } = await planAssets(await open(), options);
    assert.deepEqual(
      plan.entries.map(({ path, state, reasons }) => [path, state, reasons]),
      [['a.png', 'fresh', []]],
    );
  });

  it('keeps in the lock that an accepted file lost its credentials, unless it is another file', async () => {
    await writeFile(join(root, 'b.png'), 'source');
    const options = { sandbox: false, speechMaxCharacters: 0 };
    const accepted = async (content: string) => {
      await writeFile(join(root, 'a.png'), 'made');
      const project = await open();
      await project.changeLock('a.png', { path: 'a.png', output: hashOf('made'), credentials: 'lost' });
      await writeFile(join(root, 'a.png'), content);
      await acceptAssets(await open(), ['a.png'], options);
      return (await open()).lock.get('a.png')?.credentials;
    };
    assert.equal(await accepted('made'), 'lost');
    assert.equal(await accepted('drawn'), undefined);
  });

  it('keeps what others wrote to the lock meanwhile', async () => {
    const [one, other] = [await open(), await open()];
    await one.changeLock('a.png', { path: 'a.png', output: hashOf('a') });
    await other.changeLock('b.png', { path: 'b.png', output: hashOf('b') });
    const lines = (await readFile(join(root, 'media.lock.jsonl'), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2);
  });

  it('says that another program has the file open, or that it is read-only', async () => {
    const project = await open();
    await writeFile(join(root, 'a.png'), 'old');
    const { replace } = LocalFolder.prototype;
    const error = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });
    Object.assign(LocalFolder.prototype, { replace: () => Promise.reject(error) });
    try {
      const placing = placeOutput(project, 'a.png', dataOf('new'), hashOf('old'), (output) => ({
        path: 'a.png',
        output,
      }));
      await assert.rejects(placing, {
        kind: 'save',
        message: /^a\.png .*another program has it open, or it is read-only/,
      });
    } finally {
      Object.assign(LocalFolder.prototype, { replace });
    }
    assert.equal(await readFile(join(root, 'a.png'), 'utf8'), 'old');
  });

  it('reads a manifest and a lock with byte order marks and Windows line breaks', async () => {
    const line = { path: 'a.png', output: hashOf('a') };
    await writeFile(join(root, 'media.jsonc'), '\ufeff{\r\n"assets": {"a.png": {"from": "b.png"}}}\r\n');
    await writeFile(join(root, 'media.lock.jsonl'), `\ufeff${JSON.stringify(line)}\r\n`);
    const { manifest, lock } = await open();
    assert.equal(manifest.entries.length, 1);
    assert.deepEqual([...lock.values()], [line]);
  });

  for (const name of ['media.jsonc', 'media.lock.jsonl']) {
    it(`says that ${name} is saved as UTF-16`, async () => {
      await writeFile(join(root, name), '\ufeff{}', 'utf16le');
      const message = `${name} is saved as UTF-16. Save it as UTF-8.`;
      await assert.rejects(open(), { kind: 'invalidInput', message });
    });
  }

  it('takes a text whose line breaks git changed for the one that was locked, and replaces it', async () => {
    const place = async (text: string, replaces?: string) =>
      placeOutput(await open(), 'a.vtt', dataOf(text), replaces, (output) => ({
        path: 'a.vtt',
        request: hashOf('request'),
        output,
      }));
    const long = (word: string) => `WEBVTT\n\n${`${word}\n`.repeat(2000)}`;
    await place(long('one'));
    await writeFile(join(root, 'a.vtt'), long('one').replaceAll('\n', '\r\n'));
    const project = await open();
    assert.equal(await project.hashes.of('a.vtt'), project.lock.get('a.vtt')?.output);
    await place(long('two'), hashOf(long('one')));
    assert.equal(await readFile(join(root, 'a.vtt'), 'utf8'), long('two'));
    // A text that comes with such line breaks is locked as the same.
    await place(long('three').replaceAll('\n', '\r\n'), hashOf(long('two')));
    assert.equal((await open()).lock.get('a.vtt')?.output, hashOf(long('three')));
    await writeFile(join(root, 'a.vtt'), long('four'));
    assert.notEqual(await (await open()).hashes.of('a.vtt'), hashOf(long('three')));
  });

  it('removes only what a killed process left of a lock an hour ago', async () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    const [left, recent, result, own] = [
      `.media.lock.jsonl.${id}.part`,
      `.videos.lock.jsonl.${id}.part`,
      `.${id}.part`,
      '.media.lock.jsonl.part',
    ];
    for (const name of [left, recent, result, own]) await writeFile(join(root, name), '');
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const name of [left, result, own]) await utimes(join(root, name), longAgo, longAgo);
    await (await open()).keepSettled();
    const names = (await readdir(root)).filter((name) => name.endsWith('.part'));
    assert.deepEqual(names.sort(), [recent, result, own].sort());
  });

  it('chooses a variant although a killed choose had not locked another', async () => {
    const assets = { 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm', variants: 2 } };
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    const options = { sandbox: false, speechMaxCharacters: 0 };
    const [found] = (await planAssets(await open(), options)).evaluated;
    const crashed = await open();
    const key = crashed.variants.keyFor('a.png', found?.origin.request ?? '', false);
    await crashed.variants.folderOf(key).check();
    for (const name of ['variant.png', 'variant-2.png']) {
      await writeFile(join(crashed.variants.folder, key, name), name);
    }
    const base = { path: 'a.png', ...found?.origin };
    await crashed.changeLock('a.png', { ...base, output: hashOf('variant.png'), variant: 1 });
    await crashed.notePlacing({ ...base, output: hashOf('variant-2.png'), variant: 2 });
    await writeFile(join(root, 'a.png'), 'variant-2.png');
    await chooseVariant(await open(), 'a.png', 1, { ...options, signal: new AbortController().signal });
    assert.equal(await readFile(join(root, 'a.png'), 'utf8'), 'variant.png');
    const { plan } = await planAssets(await open(), options);
    assert.equal(plan.entries[0]?.state, 'fresh');
  });

  it('does not take what another manifest of the folder placed for its own', async () => {
    const line = { path: 'v.mp4', output: hashOf('v') };
    await writeFile(join(root, 'videos.jsonc'), '{"assets": {}}');
    const options = { root, library: libraryIn(root), store: new Store(join(root, 'work')) };
    await (await ManifestProject.open(join(root, 'videos.jsonc'), options)).notePlacing(line);
    await writeFile(join(root, 'v.mp4'), 'v');
    const project = await open();
    await project.settle();
    assert.equal(project.lock.size, 0);
  });
});

describe('typedPath (promise 39)', () => {
  it('takes the separators of the system, and a path to the current folder', () => {
    assert.equal(typedPath('.\\static\\img\\a.png', '\\'), 'static/img/a.png');
    assert.equal(typedPath('static\\a.png', '\\'), 'static/a.png');
    assert.equal(typedPath('./static/a.png', '/'), 'static/a.png');
    assert.equal(typedPath('a\\b.png', '/'), 'a\\b.png');
  });
});
