import assert from 'node:assert/strict';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { builtCommandLine } from '../../support/builtCommandLine.ts';
import { findProgram } from '../../support/findProgram.ts';
import { pngBytes, pngChunk, wavBytes } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

/** A picture of one pixel that no other is like. */
const pixel = (unique: Buffer) =>
  Buffer.concat([
    pngBytes.subarray(0, 33),
    pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), unique])),
    pngChunk('IDAT', deflateSync(Buffer.from([0, unique.at(0) ?? 0, unique.at(1) ?? 0, unique.length]))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);

type Assets = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const defaults = {
  generateImage: { model: 'm' },
  editImage: { model: 'm' },
  speak: { model: 't', voice: 'nova' },
  transcribe: { model: 'h' },
};

/** An asset of each kind, with those that others are made from. */
const assets: Assets = {
  'web/bílder/hero.png': { operation: 'generateImage', prompt: 'a harbour' },
  'web/bílder/small.png': { from: 'web/bílder/hero.png', size: [1, 1] },
  'web/bílder/night.png': { operation: 'editImage', prompt: 'at night', images: ['web/bílder/hero.png'] },
  'web/team photo.png': { operation: 'editImage', prompt: 'in colour', images: ['raw/photo.png'] },
  'web/guide.mp3': { operation: 'speak', document: 'docs/guide.md' },
  'web/call.md': { operation: 'transcribe', file: 'raw/call.wav' },
};
const paths = Object.keys(assets);

/** The assets with other names in keys and inputs. */
const renamed = (from: string, to: string, before: Assets = assets): Assets =>
  JSON.parse(JSON.stringify(before).replaceAll(from, to)) as Assets;

describe('a team with one repository', () => {
  let service: MediaService;
  let start: Repository;
  const open = new Set<Repository>();

  before(async function () {
    skipUnless(this, findProgram('git') !== undefined, 'git');
    let made = 0;
    service = await startMediaService(() => pixel(Buffer.from(`${++made}`)));
    start = await Repository.make(service.origin, {
      '.gitignore': '.unified-media/\n',
      '.gitattributes': '*.lock.jsonl merge=unified-media\n',
      'docs/guide.md': 'Open the door.\n\nGo in.\n',
      'raw/photo.png': pixel(Buffer.from('photo')),
      'raw/call.wav': wavBytes,
    });
    await declare(start, assets);
    await succeed(start, 'apply', '--yes');
    await commit(start, 'start');
  });
  after(async () => {
    await start[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  beforeEach(() => service.reset());
  afterEach(async () => {
    for (const one of open) await one[Symbol.asyncDispose]();
    open.clear();
  });

  async function keep(repository: Promise<Repository>): Promise<Repository> {
    open.add(await repository);
    return repository;
  }

  /** A repository that others clone, and whatever comes out of it. */
  async function origin(): Promise<string> {
    const words = ['--bare', '-c', 'uploadpack.allowFilter=true'];
    const bare = await keep(Repository.clone(service.origin, join(start.root, '.git'), ...words));
    return `file://${bare.root}`;
  }

  async function clone(url: string, ...words: readonly string[]): Promise<Repository> {
    const repository = await keep(Repository.clone(service.origin, url, ...words));
    const driver = `"${process.execPath}" "${await builtCommandLine()}" merge-lock %O %A %B`;
    await repository.git('config', 'merge.unified-media.driver', driver);
    return repository;
  }

  /** One entry per line, as people are told to write them. */
  async function declare(repository: Repository, all: Assets): Promise<void> {
    const lines = Object.entries(all).map(
      ([path, entry]) => `    ${JSON.stringify(path)}: ${JSON.stringify(entry)},\n`,
    );
    const text = `{\n  "defaults": ${JSON.stringify(defaults)},\n  "assets": {\n${lines.join('')}  },\n}\n`;
    await repository.write({ 'media.jsonc': text });
  }

  async function succeed(repository: Repository, ...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await repository.run(words);
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  async function commit(repository: Repository, message: string): Promise<void> {
    await repository.git('add', '-A', '.');
    await repository.git('commit', '-qm', message);
  }

  async function move(repository: Repository, from: string, to: string): Promise<void> {
    await mkdir(dirname(join(repository.root, to)), { recursive: true });
    await rename(join(repository.root, from), join(repository.root, to));
  }

  /** What is committed and pushed is green for everybody, and for a build server, and has cost so many requests. */
  async function isGreen(url: string, paid: number, ...clones: readonly Repository[]): Promise<void> {
    const server = await clone(url, '--depth', '1');
    for (const one of clones) await one.git('pull', '-q', '--rebase');
    for (const one of [server, ...clones]) {
      await succeed(one, 'check');
    }
    assert.equal(service.paid.length, paid);
  }

  const entries = async (repository: Repository) => {
    const { stdout } = await repository.run(['plan', '--json']);
    return (JSON.parse(stdout) as { entries: { path: string; state: string; requests: number; reasons: string[] }[] })
      .entries;
  };

  for (const [how, words] of [
    ['sparse', []],
    ['partial and sparse', ['--filter=tree:0', '--no-checkout']],
  ] as const) {
    it(`leaves alone what is not checked out: ${how}`, async () => {
      const url = await origin();
      const [a, b] = [await clone(url), await clone(url, ...words)];
      await b.git('sparse-checkout', 'set', '--cone', 'docs');
      await b.git('checkout', '-q', 'main');
      await succeed(b, 'check');
      await declare(b, { ...assets, 'docs/new.png': { operation: 'generateImage', prompt: 'new' } });
      await succeed(b, 'apply');
      assert.deepEqual(service.prompts(), ['new']);
      await commit(b, 'one more');
      await b.git('push', '-q');
      await isGreen(url, 1, a, b);
      // What has changed cannot be made without the files.
      await declare(b, renamed('a harbour', 'a river'));
      const { code, stdout } = await b.run(['apply']);
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^left {5}web\/bílder\/hero\.png {2}git has it, and it is not checked out here: “git sparse-checkout add web\/bílder”/m,
      );
      assert.equal(service.paid.length, 1);
      await b.git('checkout', '-q', 'media.jsonc');
      await b.git('sparse-checkout', 'add', 'web/bílder');
      await b.git('restore', '--ignore-skip-worktree-bits', 'web/team photo.png');
      await isGreen(url, 1, b);
    });
  }

  it('makes nothing that was deleted without a commit, but what is asked for', async () => {
    const url = await origin();
    const [a, b] = [await clone(url), await clone(url)];
    for (const path of paths) await rm(join(a.root, path));
    assert.equal((await a.run(['check'])).code, 1);
    const { code, stdout } = await a.run(['apply']);
    assert.equal(code, 1);
    assert.equal(stdout.match(/^left .* deleted, and git still has it: “git restore /gm)?.length, paths.length, stdout);
    assert.match(stdout, /“git restore 'web\/team photo\.png'” brings it back, “apply --anew 'web\/team photo\.png'”/);
    assert.equal(service.paid.length, 0);
    await succeed(a, 'apply', '--anew', './web/bílder/hero.png');
    assert.deepEqual(service.prompts(), ['a harbour']);
    await a.git('restore', ...paths.filter((path) => !path.endsWith('hero.png')));
    await succeed(a, 'apply');
    assert.deepEqual(service.prompts(), ['a harbour', 'at night']);
    await commit(a, 'another harbour');
    await a.git('push', '-q');
    await isGreen(url, 2, a, b);
  });

  it('leaves a submodule alone until it is checked out', async () => {
    const url = await origin();
    const shared = await keep(Repository.make(service.origin, {}));
    await declare(shared, { 'logo.png': { operation: 'generateImage', prompt: 'logo' } });
    await succeed(shared, 'apply');
    await commit(shared, 'logo');
    const a = await clone(url);
    await a.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(shared.root, '.git'),
      'lib/shared',
    );
    await declare(a, {
      ...assets,
      'lib/shared/logo.png': { operation: 'generateImage', prompt: 'logo' },
      'web/logo.png': { from: 'lib/shared/logo.png', size: [1, 1] },
    });
    await succeed(a, 'accept', 'lib/shared/logo.png');
    await succeed(a, 'apply');
    await commit(a, 'shared');
    await a.git('push', '-q');
    const b = await clone(url);
    await isGreen(url, 1, b);
    await declare(
      b,
      renamed('[1,1]', '[2,2]', {
        'web/logo.png': { from: 'lib/shared/logo.png', size: [1, 1] },
        'lib/shared/logo.png': { operation: 'generateImage', prompt: 'logo' },
      }),
    );
    const left = await entries(b);
    assert.match(
      left.find(({ path }) => path === 'web/logo.png')?.reasons.at(-1) ?? '',
      /in the submodule lib\/shared, .*“git submodule update --init lib\/shared”/,
    );
    assert.equal((await b.run(['apply', '--anew', 'lib/shared/logo.png'])).code, 1);
    await b.git('checkout', '-q', '.');
    await b.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    await isGreen(url, 1, b);
  });

  for (const [how, rename] of [
    ['with their files, by git', (one: Repository) => one.git('mv', 'web', 'site')],
    ['with their files, by hand', (one: Repository) => move(one, 'web', 'site')],
    ['only in the manifest', async () => ''],
  ] as const) {
    it(`pays for nothing that has another name: ${how}`, async () => {
      const url = await origin();
      const [a, b] = [await clone(url), await clone(url)];
      await rename(a);
      await declare(a, renamed('web/', 'site/'));
      assert.match(
        await succeed(a, 'check'),
        /warning {2}site\/guide\.mp3 {2}Renamed from web\/guide\.mp3; apply writes the lock anew\./,
      );
      assert.equal((await a.run(['plan'])).code, 2);
      assert.equal((await succeed(a, 'apply')).match(/^made .* Renamed from web\//gm)?.length, paths.length);
      await commit(a, 'another folder');
      assert.match(await a.git('show', '--stat=200', '-M100%'), /\{web => site\}\/guide\.mp3/);
      await a.git('push', '-q');
      await isGreen(url, 0, a, b);
      // A revert is a rename, too.
      await b.git('revert', '--no-edit', 'HEAD');
      await b.git('push', '-q');
      await isGreen(url, 0, a, b);
    });
  }

  it('sends one request for a changed prompt under a new name', async () => {
    const url = await origin();
    const a = await clone(url);
    const changed = renamed('in colour', 'in grey', renamed('team photo', 'everybody'));
    await a.git('mv', 'web/team photo.png', 'web/everybody.png');
    await declare(a, changed);
    await succeed(a, 'apply');
    assert.deepEqual(service.prompts(), ['in grey']);
    await commit(a, 'grey');
    await a.git('push', '-q');
    await isGreen(url, 1, a);
  });

  it('pays for nothing whose input has another name', async () => {
    const url = await origin();
    const [a, b] = [await clone(url), await clone(url)];
    await a.git('mv', 'raw', 'originals');
    await a.git('mv', 'docs/guide.md', 'docs/handbook.md');
    await declare(a, renamed('raw/', 'originals/', renamed('guide.md', 'handbook.md')));
    assert.deepEqual(
      (await entries(a)).map(({ state }) => state),
      paths.map(() => 'fresh'),
    );
    await commit(a, 'originals');
    await a.git('push', '-q');
    await isGreen(url, 0, a, b);
  });

  it('merges, rebases, picks, squashes, reverts and stashes what was made elsewhere', async () => {
    const url = await origin();
    const [a, b] = [await clone(url), await clone(url)];
    const added = (name: string): Assets => ({ [`web/${name}.png`]: { operation: 'generateImage', prompt: name } });
    await a.git('checkout', '-qb', 'one');
    await declare(a, { ...added('one'), ...assets });
    await succeed(a, 'apply');
    await commit(a, 'one');
    await a.git('push', '-q', 'origin', 'one');
    await a.git('checkout', '-qb', 'two');
    await declare(a, { ...added('one'), ...assets, ...added('two') });
    await succeed(a, 'apply');
    await commit(a, 'two');
    await a.git('push', '-q', 'origin', 'two');
    const c = await clone(url);
    await c.git('merge', '-q', '--squash', 'origin/two');
    await commit(c, 'both');
    await succeed(c, 'check');
    await b.git('fetch', '-q');
    // Another name that nobody has applied yet.
    await b.git('mv', 'web/guide.mp3', 'web/handbook.mp3');
    const guide = renamed('web/guide.mp3', 'web/handbook.mp3');
    await declare(b, guide);
    await commit(b, 'handbook, not applied');
    await b.git('merge', '-q', '--no-edit', 'origin/one');
    await b.git('cherry-pick', 'origin/two');
    await succeed(b, 'check');
    await succeed(b, 'apply');
    await commit(b, 'lock');
    await move(b, 'web/call.md', 'web/talk.md');
    await declare(b, renamed('web/call.md', 'web/talk.md', { ...added('one'), ...guide, ...added('two') }));
    await succeed(b, 'apply');
    await b.git('stash', '-q', '-u');
    await succeed(b, 'check');
    await b.git('stash', 'pop', '-q');
    await succeed(b, 'check');
    await b.git('checkout', '-q', '.');
    await b.git('clean', '-qfd');
    await b.git('push', '-q');
    await a.git('checkout', '-q', 'main');
    await a.git('pull', '-q');
    await a.git('revert', '--no-edit', 'HEAD~1');
    await a.git('push', '-q');
    await isGreen(url, 2, a, b);
  });

  it('takes the line of the picture that a rebase took from one side', async () => {
    const url = await origin();
    const [a, b] = [await clone(url), await clone(url)];
    for (const [one, colour] of [
      [a, 'in red'],
      [b, 'in blue'],
    ] as const) {
      await declare(one, renamed('in colour', colour));
      await succeed(one, 'apply');
      await commit(one, colour);
    }
    await a.git('push', '-q');
    await assert.rejects(
      b.git('pull', '-q', '--rebase'),
      /team photo\.png.*Both sides changed these assets: web\/team photo\.png/s,
    );
    const { stderr } = await b.run(['plan']);
    assert.match(stderr, /^media\.jsonc:\d+: There is an unresolved merge conflict\. [^\n]*\n$/);
    await b.git('checkout', '--theirs', 'media.jsonc', 'web/team photo.png');
    assert.match(await b.read('media.lock.jsonl'), /^<{7}/m);
    await succeed(b, 'check');
    await succeed(b, 'accept', 'web/team photo.png');
    await b.git('add', '-A', '.');
    await b.git('-c', 'core.editor=true', 'rebase', '--continue');
    await b.git('push', '-q');
    await isGreen(url, 2, a, b);
  });

  it('forgets the line that a union brings back of an entry and a file that are gone', async () => {
    const url = await origin();
    const a = await clone(url);
    await a.write({ '.gitattributes': '*.lock.jsonl merge=union\n' });
    await a.git('mv', 'web/call.md', 'web/talk.md');
    await declare(a, renamed('web/call.md', 'web/talk.md'));
    await succeed(a, 'apply');
    const line = (await start.read('media.lock.jsonl')).split('\n').find((one) => one.includes('call.md'));
    await a.write({ 'media.lock.jsonl': `${await a.read('media.lock.jsonl')}${line}\n` });
    await succeed(a, 'check');
    await succeed(a, 'apply');
    assert.doesNotMatch(await a.read('media.lock.jsonl'), /"path":"web\/call\.md"/);
    await commit(a, 'talk');
    await a.git('push', '-q');
    await isGreen(url, 0, a);
  });
});
