import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { pruneRequests } from '../../../src/manifest/leftRequests.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { Store } from '../../../src/work/Store.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', model: 'm', prompt });
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const lines = (...all: readonly object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('prune', () => {
  let service: MediaService;
  let repository: Repository;

  beforeEach(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, {});
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  const exists = (path: string) => existsSync(join(repository.root, path));
  async function succeed(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await repository.run(words);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  it('keeps a file that a person made and accepted, also after its entry is gone', async () => {
    await repository.write({ 'a.png': 'drawn by hand' });
    await repository.declare({ 'a.png': picture('a') });
    await succeed('accept', 'a.png');
    await repository.declare({});
    assert.match(await succeed('prune'), /a\.png {2}accepted by a person/);
    assert.match(await succeed('prune', '--apply'), /a\.png {2}accepted by a person/);
    assert.equal(await repository.read('a.png'), 'drawn by hand');
    assert.equal(await repository.read('media.lock.jsonl'), '');
  });

  describe('of requests that may have been billed', () => {
    beforeEach(() => {
      service.answerWith((response) => response.destroy());
    });
    const noted = async () => (await readdir(join(repository.root, '.unified-media', 'jobs')).catch(() => [])).length;

    it('names and forgets one whose entry has changed, and keeps one whose entry is as it was', async () => {
      await repository.declare({ 'a.png': picture('a'), 'b.png': picture('b') });
      assert.equal((await repository.run(['apply'])).code, 1);
      assert.equal(await succeed('prune'), '');
      await repository.declare({ 'a.png': picture('changed'), 'b.png': picture('b') });
      assert.match(await succeed('prune'), /^a\.png {2}a request for an earlier version .* would be forgotten\n$/);
      assert.deepEqual(JSON.parse(await succeed('prune', '--json')), [{ path: 'a.png', state: 'unknown' }]);
      const before = await noted();
      assert.match(await succeed('prune', '--apply'), /forgotten\n$/);
      assert.equal(await noted(), before - 1);
      assert.equal(await succeed('prune'), '');
      await repository.declare({ 'a.png': picture('a'), 'b.png': picture('b') });
      assert.match((await repository.run(['plan'])).stdout, /missing +b\.png +its request was sent before/);
    });

    it('says so if another program takes one while it is pruned', async () => {
      await repository.declare({ 'a.png': picture('a') });
      await repository.run(['apply']);
      await repository.declare({});
      const project = await ManifestProject.open(join(repository.root, 'media.jsonc'), {
        root: repository.root,
        library: libraryIn(repository.root),
        store: new Store(repository.work),
      });
      project.store.take = async () => undefined;
      const [pruned] = await pruneRequests(project, { sandbox: false, speechMaxCharacters: 4096, removes: true });
      assert.equal(pruned?.state, 'failed');
      assert.match(pruned.reason ?? '', /^Another program is working/);
    });

    it('names one of another computer, and one of another manifest only there', async () => {
      await repository.declare({ 'a.png': picture('a') });
      await repository.write({ 'other.json': JSON.stringify({ assets: { 'b.png': picture('b') } }) });
      for (const manifest of ['media.jsonc', 'other.json']) await repository.run(['apply', '--manifest', manifest]);
      await rm(repository.work, { recursive: true });
      await repository.declare({});
      assert.match(await succeed('prune'), /^a\.png .*\n$/);
      assert.match(await succeed('prune', '--apply'), /^a\.png .* forgotten\n$/);
      await repository.write({ 'other.json': JSON.stringify({ assets: {} }) });
      assert.match(await succeed('prune', '--manifest', 'other.json'), /^b\.png .*\n$/);
    });

    it('keeps one whose entry cannot be evaluated now', async () => {
      const spoken = { operation: 'speak', model: 'm', voice: 'alloy', document: 'a.md' };
      await repository.write({ 'a.md': 'A sentence.\n\nAnother one.' });
      await repository.declare({ 'a.mp3': spoken });
      await repository.run(['apply']);
      await rm(join(repository.root, 'a.md'));
      assert.equal(await succeed('prune'), '');
      await repository.write({ 'a.md': 'A sentence.' });
      assert.equal(await succeed('prune'), '');
      await repository.write({ 'a.md': 'A new sentence.' });
      assert.match(await succeed('prune', '--apply'), /^a\.mp3 .*\n/);
      assert.equal(await noted(), 0);
    });
  });

  it('keeps the files of another manifest in the same folder, whose lock is its own', async () => {
    await repository.declare({ 'a.png': picture('a') });
    const assets = { 'v.mp4': { operation: 'generateVideo', model: 'm', prompt: 'v' } };
    await repository.write({ 'videos.jsonc': JSON.stringify({ assets }), 'other.json': '{"assets": {}}' });
    await succeed('apply');
    await succeed('apply', '--yes', '--manifest', 'videos.jsonc');
    assert.match(await repository.read('media.lock.jsonl'), /a\.png/);
    assert.match(await repository.read('videos.lock.jsonl'), /v\.mp4/);
    assert.match(await succeed('plan'), /1 of 1 assets are fresh/);
    assert.equal(await succeed('prune', '--apply'), '');
    assert(exists('v.mp4'));
    await succeed('check', '--manifest', 'videos.jsonc');
    assert.equal(service.paid.length, 2);
    // One with another ending keeps its whole name.
    await repository.write({ 'other.json.lock.jsonl': lines({ path: 'x.png', output: hashOf('x') }) });
    assert.match(await succeed('prune', '--manifest', 'other.json'), /x\.png/);
  });

  it('keeps a file that moved to another manifest', async () => {
    await mkdir(join(repository.root, 'site'));
    const declare = (assets: object) => repository.write({ 'site/media.jsonc': JSON.stringify({ assets }) });
    await declare({ 'img/a.png': picture('a') });
    await succeed('apply', '--manifest', 'site/media.jsonc');
    await repository.declare({ 'site/img/a.png': picture('a') });
    await succeed('accept', 'site/img/a.png');
    await declare({});
    const said = await succeed('prune', '--apply', '--manifest', 'site/media.jsonc');
    assert.match(said, /img\/a\.png {2}media\.lock\.jsonl names it, too/);
    assert(exists('site/img/a.png'));
    await succeed('check');
    await succeed('check', '--manifest', 'site/media.jsonc');
  });

  it('keeps a file that other entries are made from, though its own entry is gone', async () => {
    const input = { operation: 'generateImage', model: 'm', prompt: 'a' };
    const captions = { 'call.srt': { captions: 'call.md' } };
    await repository.write({ 'call.md': 'Hello.', 'say.mp3': 'sound' });
    await repository.declare({ 'hero.png': input, 'In.png': input });
    await succeed('apply');
    const { output } = JSON.parse((await repository.read('media.lock.jsonl')).split('\n')[0] ?? '') as {
      output: string;
    };
    const times = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n';
    await repository.write({
      'call.vtt': times,
      'media.lock.jsonl': `${await repository.read('media.lock.jsonl')}${lines({
        path: 'call.vtt',
        local: output,
        output: hashOf(times),
      })}`,
    });
    await repository.declare({
      ...captions,
      'hero.webp': { from: 'hero.png' },
      'night.png': { ...input, operation: 'editImage', images: ['In.png'] },
    });
    for (const words of [[], ['--apply']]) {
      const said = await succeed('prune', ...words);
      for (const path of ['call.vtt', 'hero.png', 'In.png']) {
        assert.match(said, new RegExp(`${path} {2}media\\.jsonc names it, too`, 'i'));
      }
    }
    for (const path of ['call.vtt', 'hero.png', 'In.png']) assert(exists(path), path);
    await succeed('apply');
    assert.equal(service.paid.length, 3);
  });

  it('keeps a file that an entry or a person names by another path', async () => {
    await mkdir(join(repository.root, 'real'));
    await symlink(join(repository.root, 'real'), join(repository.root, 'link'), 'junction');
    await repository.declare({ 'link/a.png': picture('a'), 'link/b.png': picture('b') });
    await succeed('apply');
    await repository.declare({ 'real/a.png': picture('a'), 'real/b.png': picture('b') });
    await succeed('accept', 'real/a.png', 'real/b.png');
    await repository.declare({ 'real/a.png': picture('a') });
    const said = await succeed('prune', '--apply');
    assert.match(said, /link\/a\.png {2}media\.jsonc names it, too/);
    assert.match(said, /link\/b\.png {2}media\.lock\.jsonl names it, too/);
    assert(exists('real/a.png') && exists('real/b.png'));
  });

  it('keeps files that no entry can have made, whatever the lock says', async () => {
    await repository.declare({});
    await repository.write({ 'src/index.ts': 'code', 'logo.png': 'logo', 'notes.md': 'notes' });
    const request = hashOf('request');
    await repository.write({
      'media.lock.jsonl': lines(
        { path: 'src/index.ts', request, output: hashOf('code') },
        { path: 'logo.png', output: hashOf('logo') },
        { path: 'notes.md', local: request, output: hashOf('notes') },
      ),
    });
    const said = await succeed('prune', '--apply');
    assert.equal(said.match(/not made by an entry/g)?.length, 3, said);
    for (const path of ['src/index.ts', 'logo.png', 'notes.md']) assert(exists(path), path);
  });

  it('goes on after an orphan that is a link, and names it', async () => {
    await repository.declare({ 'a/a.png': picture('a'), 'b.png': picture('b') });
    await succeed('apply');
    await rename(join(repository.root, 'a'), join(repository.root, '../moved'));
    await symlink(join(repository.root, '../moved'), join(repository.root, 'a'), 'junction');
    await repository.declare({});
    const said = await succeed('prune', '--apply');
    assert.match(said, /a\/a\.png {2}kept, .*link/);
    assert.match(said, /b\.png {2}removed/);
    assert(exists('../moved/a.png'));
    assert(!exists('b.png'));
    assert.equal(await repository.read('media.lock.jsonl'), '');
    await rm(join(repository.root, '../moved'), { recursive: true });
  });
});
