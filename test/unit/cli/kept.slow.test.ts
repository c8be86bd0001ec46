import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { pngBytes, pngChunk } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

const picture = (prompt: string, more: object = {}) => ({ operation: 'generateImage', model: 'm', prompt, ...more });

/** A picture of one pixel. */
const pixel = (red: number, green: number, blue: number) =>
  Buffer.concat([
    pngBytes.subarray(0, 33),
    pngChunk('IDAT', deflateSync(Buffer.from([0, red, green, blue]))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);

/** The first pixel of a PNG. */
function firstPixel(png: Buffer): readonly number[] {
  const start = png.indexOf('IDAT');
  const data = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  return [...data.subarray(1, 4)];
}

describe('a file that apply or choose replaces', () => {
  let service: MediaService;
  let repository: Repository;

  beforeEach(async () => {
    service = await startMediaService((prompt) => pixel(200, prompt.length, prompt.charCodeAt(0)));
    repository = await Repository.make(service.origin, {});
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  const file = (path: string) => readFile(join(repository.root, path));
  async function succeed(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await repository.run(words);
    assert.equal(code, 0, stdout + stderr);
    return stdout + stderr;
  }
  async function apply(assets: object, ...words: readonly string[]): Promise<string> {
    await repository.declare(assets, { defaults: { speak: { model: 't', voice: 'nova' } } });
    return succeed('apply', ...words);
  }
  /** All files in the folder of variants, except notes. */
  async function kept(): Promise<readonly Buffer[]> {
    const folder = join(repository.root, '.unified-media/variants');
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = found.filter((one) => one.isFile() && /\.(png|mp4|mp3)$/.test(one.name));
    return Promise.all(names.map((one) => readFile(join(one.parentPath, one.name))));
  }
  const isKept = async (bytes: Buffer) => (await kept()).filter((one) => one.equals(bytes)).length;

  it('costs nothing when its entry goes back to an earlier prompt', async () => {
    await apply({ 'a.png': picture('A') });
    const first = await file('a.png');
    await apply({ 'a.png': picture('B') });
    await apply({ 'a.png': picture('A') });
    assert.deepEqual(await file('a.png'), first);
    await apply({ 'a.png': picture('B') });
    assert.deepEqual(service.prompts(), ['A', 'B']);
    assert.equal((await kept()).length, 1, 'only the one that is not in place is kept');
  });

  it('keeps the ID of a video, so that it can be remixed', async () => {
    const video = (prompt: string) => ({ 'a.m4v': { operation: 'generateVideo', model: 'm', prompt } });
    await apply(video('A'), '--yes');
    const made = await file('a.m4v');
    const locked = await repository.read('media.lock.jsonl');
    assert.match(locked, /"videoId":"v1"/);
    await apply(video('B'), '--yes');
    await apply(video('A'), '--yes');
    assert.equal(await repository.read('media.lock.jsonl'), locked);
    assert.deepEqual(await file('a.m4v'), made);
    assert.equal(service.paid.length, 2);
  });

  it('is not lost when the sandbox makes another, which is itself not kept', async () => {
    await apply({ 'a.png': picture('A') });
    const paid = await file('a.png');
    await apply({ 'a.png': picture('B') }, '--sandbox');
    assert.equal(await isKept(paid), 1);
    const free = await file('a.png');
    await apply({ 'a.png': picture('A') });
    assert.deepEqual(await file('a.png'), paid);
    assert.equal(await isKept(free), 0);
    assert.deepEqual(service.prompts(), ['A']);
  });

  it('is kept once, also if it is one of several variants', async () => {
    await apply({ 'a.png': picture('A', { variants: 1, size: [2, 2] }) });
    const resized = await file('a.png');
    await apply({ 'a.png': picture('A', { variants: 1, size: [3, 3] }) });
    assert.equal(await isKept(resized), 0, 'its original is there');
    assert.equal((await kept()).length, 1);
  });

  it('is kept beside the variants if it was resized and its original is gone', async () => {
    await apply({ 'a.png': picture('A', { size: [2, 2] }) });
    await rm(join(repository.root, '.unified-media/variants'), { recursive: true });
    const resized = await file('a.png');
    await apply({ 'a.png': picture('B') });
    assert.equal(await isKept(resized), 1);
    // It is not the result of the request, so it is not taken for that.
    await apply({ 'a.png': picture('A', { size: [2, 2] }) });
    assert.deepEqual(service.prompts(), ['A', 'B', 'A']);
  });

  it('is kept if a person accepted it and its prompt changes', async () => {
    await apply({ 'a.png': picture('A') });
    const edited = pixel(1, 2, 3);
    await repository.write({ 'a.png': edited });
    await succeed('accept', 'a.png');
    assert.match(await repository.read('media.lock.jsonl'), /,"accepted":true\}\n$/);
    await apply({ 'a.png': picture('B') });
    assert.notDeepEqual(await file('a.png'), edited);
    assert.equal(await isKept(edited), 1);
    assert.doesNotMatch(await repository.read('media.lock.jsonl'), /accepted/);
    // Going back gives what the service made, not what the person did.
    await apply({ 'a.png': picture('A') });
    assert.deepEqual(service.prompts(), ['A', 'B', 'A']);
  });

  it('is kept if a person accepted it and chooses a variant', async () => {
    await using sandbox = await Repository.make('', {});
    await sandbox.declare({ 'a.png': picture('A', { variants: 2 }) });
    assert.equal((await sandbox.run(['apply', '--sandbox'])).code, 0);
    await sandbox.write({ 'a.png': pixel(1, 2, 3) });
    await sandbox.run(['accept', 'a.png', '--sandbox']);
    const { code, stderr } = await sandbox.run(['choose', 'a.png', '2', '--sandbox']);
    assert.equal(code, 0, stderr);
    const [name = ''] = await readdir(join(sandbox.root, '.unified-media/variants/kept'));
    assert.deepEqual(await readFile(join(sandbox.root, '.unified-media/variants/kept', name)), pixel(1, 2, 3));
    assert.match(await sandbox.read('media.lock.jsonl'), /"variant":2/);
  });

  it('is itself resized if a person accepted it, not the original of the service', async () => {
    // With a quality, the original stays with the variants.
    await apply({ 'a.png': picture('A', { quality: 90 }) });
    const edited = pixel(0, 0, 255);
    await repository.write({ 'a.png': edited });
    await succeed('accept', 'a.png');
    const said = await apply({ 'a.png': picture('A', { size: [2, 2] }) });
    assert.match(said, /accepted file itself was resized/);
    assert.deepEqual(firstPixel(await file('a.png')), [0, 0, 255]);
    assert.equal(await isKept(edited), 1);
    await apply({ 'a.png': picture('A', { size: [4, 4] }) });
    assert.deepEqual(firstPixel(await file('a.png')), [0, 0, 255]);
    assert.match(await repository.read('media.lock.jsonl'), /"accepted":true/);
    assert.deepEqual(service.prompts(), ['A']);
  });

  it('is made again from its original when the accepted file was deleted', async () => {
    await apply({ 'a.png': picture('A', { quality: 90 }), 'b.png': { from: 'a.png', size: [2, 2] } });
    await repository.write({ 'a.png': pixel(0, 0, 255) });
    await succeed('accept', 'a.png');
    await succeed('apply');
    assert.deepEqual(firstPixel(await file('b.png')), [0, 0, 255]);
    await rm(join(repository.root, 'a.png'));
    await succeed('apply');
    assert.equal((await repository.run(['check'])).code, 0);
    assert.deepEqual(firstPixel(await file('a.png')), [200, 1, 65]);
    assert.deepEqual(firstPixel(await file('b.png')), [200, 1, 65]);
    assert.deepEqual(service.prompts(), ['A']);
  });

  it('stays among the variants when another one is made anew, and only that is paid for', async () => {
    // No two of its pictures are alike.
    await using other = await startMediaService();
    await repository[Symbol.asyncDispose]();
    repository = await Repository.make(other.origin, {});
    const assets = { 'a.png': picture('A', { variants: 2 }), 'b.png': picture('B') };
    await apply(assets);
    const [a, b] = [await file('a.png'), await file('b.png')];
    assert.match(await apply(assets, '--anew', 'a.png'), /^made {5}a\.png {2}Made with 1 request\.$/m);
    assert.deepEqual(other.prompts(), ['A', 'B', 'A']);
    assert.notDeepEqual(await file('a.png'), a);
    assert.equal(await isKept(a), 1);
    assert.equal((await repository.run(['check'])).code, 0);
    await apply(assets, '--anew', 'b.png', '--anew', './a.png');
    assert.notDeepEqual(await file('b.png'), b);
    assert.equal(await isKept(b), 1);
    assert.equal(other.paid.length, 5);
    await succeed('choose', 'a.png', '1');
    assert.deepEqual(await file('a.png'), a);
    const unknown = await repository.run(['apply', '--anew', 'c.png']);
    assert.match(unknown.stderr, /The manifest has no entry c\.png\./);
    assert.equal(other.paid.length, 5);
  });

  it('can be chosen under the new name of its entry', async () => {
    const entry = picture('A', { variants: 2, size: [2, 2] });
    await apply({ 'a.png': entry });
    await repository.declare({ 'b.png': entry });
    await succeed('choose', 'b.png', '2');
    assert.match(await repository.read('media.lock.jsonl'), /^\{"path":"b\.png",[^\n]*"variant":2\}\n$/);
    assert(!existsSync(join(repository.root, 'a.png')));
    await apply({ 'c.png': { ...entry, size: [3, 3] } });
    assert.equal(service.paid.length, 1);
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('is not replaced anew if a person changed it', async () => {
    await apply({ 'a.png': picture('A') });
    await repository.write({ 'a.png': pixel(1, 2, 3) });
    const { code, stdout } = await repository.run(['apply', '--anew', 'a.png']);
    assert.equal(code, 1);
    assert.match(stdout, /^left {5}a\.png {2}The file was changed .*“apply --anew a\.png”/);
    assert.deepEqual(await file('a.png'), pixel(1, 2, 3));
    assert.equal(service.paid.length, 1);
  });

  describe('and that is a narration', () => {
    const assets = { 'a.mp3': { operation: 'speak', document: 'a.md' } };
    const write = (...paragraphs: readonly string[]) => repository.write({ 'a.md': paragraphs.join('\n\n') });
    const planned = async () => {
      const { stdout } = await repository.run(['plan', '--json']);
      const { requests, entries } = JSON.parse(stdout) as { requests: object; entries: { state: string }[] };
      return [entries[0]?.state, requests];
    };

    beforeEach(async () => {
      await write('One.', 'Two.');
      await apply(assets);
    });

    it('costs nothing on the way back after the sandbox has replaced it', async () => {
      const paid = await file('a.mp3');
      await write('Three.');
      await apply(assets, '--sandbox');
      assert.notDeepEqual(await file('a.mp3'), paid);
      assert.equal(await isKept(paid), 1);
      await write('One.', 'Two.');
      assert.deepEqual(await planned(), ['stale', {}]);
      assert.match(await apply(assets), /Made without a request/);
      assert.deepEqual(await file('a.mp3'), paid);
      assert.deepEqual(service.prompts(), ['One.', 'Two.']);
      assert.deepEqual(await planned(), ['fresh', {}]);
    });

    it('costs nothing on the way back after a changed text has replaced it, and only what is new later', async () => {
      const paid = await file('a.mp3');
      await write('One.');
      await apply(assets);
      await write('One.', 'Two.');
      assert.deepEqual(await planned(), ['stale', {}]);
      await apply(assets);
      assert.deepEqual(await file('a.mp3'), paid);
      await write('Three.');
      await apply(assets);
      await write('Two.', 'Four.');
      assert.deepEqual(await planned(), ['stale', { speak: 1 }]);
      await apply(assets);
      assert.deepEqual(service.prompts(), ['One.', 'Two.', 'Three.', 'Four.']);
    });

    it('is spoken again as a whole when a person asks for it', async () => {
      await apply(assets, '--anew', 'a.mp3');
      assert.deepEqual(service.prompts(), ['One.', 'Two.', 'One.', 'Two.']);
      assert.deepEqual(await planned(), ['fresh', {}]);
    });

    it('costs nothing on the way back also under another name', async () => {
      await write('One.');
      await apply(assets);
      await apply({ 'b.mp3': assets['a.mp3'] });
      await write('One.', 'Two.');
      assert.deepEqual(await planned(), ['stale', {}]);
      await apply({ 'b.mp3': assets['a.mp3'] });
      assert.deepEqual(service.prompts(), ['One.', 'Two.']);
    });

    it('is spoken again when a person deletes the file that replaced it', async () => {
      await write('One.');
      await apply(assets);
      await write('One.', 'Two.');
      await rm(join(repository.root, 'a.mp3'));
      assert.deepEqual(await planned(), ['missing', { speak: 2 }]);
    });
  });
});

describe('a folder of variants that leads out of the project', () => {
  for (const path of ['.unified-media', '.unified-media/variants', '.unified-media/variants/kept']) {
    it(`is refused before anything is sent, written or deleted: ${path}`, async () => {
      await using service = await startMediaService();
      await using repository = await Repository.make(service.origin, {});
      await repository.declare({ 'a.png': picture('A') });
      const outside = join(repository.root, '../outside');
      await mkdir(outside);
      await writeFile(join(outside, 'lease-7'), 'a letter');
      await mkdir(dirname(join(repository.root, path)), { recursive: true });
      await symlink(outside, join(repository.root, path), 'junction');
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 1);
      assert.match(stdout + stderr, /leads outside the workspace folder/);
      assert.deepEqual(await readdir(outside), ['lease-7']);
      assert.deepEqual(service.prompts(), []);
    });
  }
});
