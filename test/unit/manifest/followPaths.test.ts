import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { acceptAssets } from '../../../src/manifest/acceptAssets.ts';
import { followInLock, followInManifest, type PathMoves } from '../../../src/manifest/followPaths.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Moves } from '../../../src/projects/Moves.ts';
import { isSpelledAlike } from '../../../src/projects/Places.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';

describe('A manifest and its lock', () => {
  /** Paths are relative to the folder `/w/site` of the manifest. */
  function movesOf(moved: Readonly<Record<string, string>>, folder = '/w/site', later = folder): PathMoves {
    const at = (path: string) => posix.join(folder, path);
    const moves = new Moves(Object.entries(moved).map(([from, to]) => ({ from: at(from), to: at(to) })));
    return { folder: [folder, later], after: (path) => moves.after(path, isSpelledAlike) };
  }

  function followed(text: string, moves: PathMoves) {
    const { replacements, left } = followInManifest(text, moves);
    const changed = replacements.reduceRight(
      (all, { offset, length, text: value }) => all.slice(0, offset) + value + all.slice(offset + length),
      text,
    );
    return { text: changed, left };
  }

  const sample = `{
  // Pictures of the site
  "accepts": {"generateImage": {"mask": {"type": "file"}}},
  "defaults": {"generateImage": {"fields": {"mask": "in/mask.png"}}},
  "assets": {
    /* the first */ "img/a.png": {"operation": "generateImage", "prompt": "img/a.png", "fields": {"mask": "in/mask.png"}},
    "img/small.webp": { "from": "img/a.png", "size": [10, 10] }, // small
    "img/edited.png": {"operation": "editImage", "images": [ "IMG/A.png", "in/b.png" ], "prompt": "p"},
    "talk.mp3": {"operation": "speak", "document": "docs/a.md", "voice": "v"},
    "talk.md": {"operation": "transcribe", "file": "talk.mp3"},
    "talk.srt": {"captions": "talk.md"},
    "b.mp4": {"operation": "animateImage", "image": "img/a.png", "prompt": "p"},
    "c.mp4": {"operation": "remixVideo", "video": "b.mp4", "prompt": "p"},
  },
}
`;

  it('follow a file in its key and in the inputs of every kind of entry, with comments and order kept', () => {
    const moved = {
      'img/a.png': 'pics/hero "1".png'.replaceAll('"', "'"),
      'in/mask.png': 'in/m.png',
      'docs/a.md': 'lessons/1.md',
      'talk.mp3': 'sound/talk.mp3',
      'talk.md': 'sound/talk.md',
      'b.mp4': 'clips/b.mp4',
    };
    const expected = sample
      .replaceAll(/"img\/a\.png"(?=:|, "size"|, "prompt": "p"\})/g, `"pics/hero '1'.png"`)
      .replace('"IMG/A.png"', `"pics/hero '1'.png"`)
      .replaceAll('in/mask.png', 'in/m.png')
      .replace('docs/a.md', 'lessons/1.md')
      .replaceAll('talk.mp3', 'sound/talk.mp3')
      .replaceAll('"talk.md"', '"sound/talk.md"')
      .replaceAll('"b.mp4"', '"clips/b.mp4"');
    assert.match(expected, /"from": "pics.*\n.*"pics.*"in\/b\.png"/);
    assert.deepEqual(followed(sample, movesOf(moved)), { text: expected, left: [] });
  });

  it('follow the files of a folder, and trade names', () => {
    const text = '{"assets": {"a/x.png": {"from": "b/x.png"}, "b/x.png": {"from": "ab/x.png"}}}';
    assert.equal(
      followed(text, movesOf({ a: 'b', b: 'a' })).text,
      '{"assets": {"b/x.png": {"from": "a/x.png"}, "a/x.png": {"from": "ab/x.png"}}}',
    );
  });

  it('stay as they are when their whole folder moves', () => {
    const moves = new Moves([{ from: '/w/site', to: '/w/web' }]);
    const paths = { folder: ['/w/site', '/w/web'], after: (path: string) => moves.after(path) } as const;
    assert.deepEqual(followed(sample, paths), { text: sample, left: [] });
  });

  it('name what cannot follow: a file outside, or with the path of another entry', () => {
    const text = '{"assets": {"a.png": {"from": "in.png"}, "b.png": {"from": "a.png"}}}';
    assert.deepEqual(followed(text, movesOf({ 'in.png': '../in.png' })), { text, left: ['in.png'] });
    const { left } = followed(text, movesOf({ 'a.png': 'B.png' }));
    assert.deepEqual(left, ['a.png']);
    const line = JSON.stringify({ path: 'a.png', output: '0'.repeat(64), inputs: { './in.png': '' } });
    assert.equal(followInLock(line, movesOf({ 'a.png': 'B.png' }), left), undefined);
  });

  it('are left alone where they are damaged', () => {
    assert.deepEqual(followed(sample.replace('{', '{,'), movesOf({ 'img/a.png': 'b.png' })).left, []);
    assert.equal(followed('{"assets": {"a.png": 1', movesOf({ 'a.png': 'b.png' })).text, '{"assets": {"a.png": 1');
    assert.throws(() => followInLock('{"path"', movesOf({ 'a.png': 'b.png' }), []), /valid line/);
  });

  it('follow in the lock with its inputs, sorted, and what a newer version wrote', () => {
    const [request, output] = ['1'.repeat(64), '2'.repeat(64)];
    const lines = [
      { path: 'a.png', request, inputs: { './in/b.png': output, prompt: 'c' }, output, newer: 1 },
      { path: 'b.png', output },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const moves = movesOf({ 'a.png': 'z/a.png', 'in/b.png': 'b.png' });
    const [one, other] = lines;
    const inputs = { './b.png': output, prompt: 'c' };
    assert.equal(
      followInLock(text, moves, []),
      `${JSON.stringify(other)}\n${JSON.stringify({ ...one, path: 'z/a.png', inputs })}\n`,
    );
    assert.equal(followInLock(text, movesOf({ 'c.png': 'd.png' }), []), undefined);
    // The file that b.png was locked with is gone, or nothing could have moved there.
    assert.equal(
      followInLock(text, movesOf({ 'a.png': 'b.png' }), []),
      `${JSON.stringify({ ...one, path: 'b.png' })}\n`,
    );
  });

  it('are fresh after a rename as before, for 0 requests', async () => {
    const root = await mkdtemp(join(tmpdir(), 'follow-'));
    const at = (path: string) => join(root, path);
    try {
      const files = { 'img/a.png': pngBytes, 'img/edited.png': pngBytes, 'in/b.png': pngBytes, 'small.png': pngBytes };
      const spoken = { 'docs/a.md': 'Hello.', 'talk.mp3': wavBytes };
      for (const [path, content] of Object.entries({ ...files, ...spoken })) {
        await mkdir(dirname(at(path)), { recursive: true });
        await writeFile(at(path), content);
      }
      const assets = {
        'img/a.png': { operation: 'generateImage', model: 'm', prompt: 'p', size: [8, 8] },
        'img/edited.png': { operation: 'editImage', model: 'm', prompt: 'p', images: ['img/a.png', 'in/b.png'] },
        'small.png': { from: 'img/edited.png', size: [4, 4] },
        'talk.mp3': { operation: 'speak', model: 'm', voice: 'alloy', document: 'docs/a.md' },
      };
      await writeFile(at('media.jsonc'), JSON.stringify({ assets }));
      const options = { sandbox: false, speechMaxCharacters: 4096 };
      const opened = () => {
        const store = new Store(at('work'));
        return ManifestProject.open(at('media.jsonc'), { root, library: libraryIn(root), store });
      };
      const states = async () => {
        const { plan, evaluated } = await planAssets(await opened(), options);
        return [plan.requests, ...evaluated.map(({ entry, state }) => `${entry.path} ${state}`)];
      };
      await acceptAssets(await opened(), Object.keys(assets), options);
      assert.deepEqual(await states(), [{}, ...Object.keys(assets).map((path) => `${path} fresh`)]);
      const moved = { img: 'pictures', 'in/b.png': 'b.png', 'docs/a.md': 'docs/b.md' };
      for (const [from, to] of Object.entries(moved)) await rename(at(from), at(to));
      const moves = movesOf(moved);
      const lock = await readFile(at('media.lock.jsonl'), 'utf8');
      await writeFile(at('media.jsonc'), followed(await readFile(at('media.jsonc'), 'utf8'), moves).text);
      await writeFile(at('media.lock.jsonl'), followInLock(lock, moves, []) ?? '');
      const names = ['pictures/a.png', 'pictures/edited.png', 'small.png', 'talk.mp3'];
      assert.deepEqual(await states(), [{}, ...names.map((path) => `${path} fresh`)]);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
