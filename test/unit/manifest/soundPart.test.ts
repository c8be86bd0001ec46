import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { readManifest, soundPart } from '../../../src/manifest/readManifest.ts';
import { Store } from '../../../src/work/Store.ts';

const picture = { operation: 'generateImage', prompt: 'a fox', model: 'm' };

function soundIn(assets: Readonly<Record<string, object>>, only: readonly string[] = [], more: object = {}) {
  const text = JSON.stringify({ ...more, assets }, undefined, 1);
  const { manifest, problems } = soundPart(readManifest(text, '/p/media.jsonc'), 'media.jsonc', only);
  return { entries: manifest.entries.map(({ path }) => path), problems };
}

describe('an error in one entry (soundPart)', () => {
  const wrong = {
    'night.png': { operation: 'editImage', prompt: 'night', model: 'm', images: ['Wrong.png'] },
    'wrong.png': { prompt: 'a fox' },
    'night.webp': { from: 'night.png' },
    'right.png': picture,
    'right.webp': { from: 'right.png' },
  };

  it('leaves the other entries, and says of those made from it that its error is the reason', () => {
    const { entries, problems } = soundIn(wrong);
    assert.deepEqual(entries, ['right.png', 'right.webp']);
    assert.deepEqual(
      problems.map(({ path, line, sentence }) => [path, line, sentence]),
      [
        ['night.png', 3, 'Its input wrong.png has an error.'],
        ['wrong.png', 11, 'The field "operation" is missing. For this path it is one of: generateImage, editImage.'],
        ['night.webp', 14, 'Its input night.png has an error.'],
      ],
    );
  });

  it('is an error of whoever names the entry, or one that is made from it', () => {
    assert.deepEqual(soundIn(wrong, ['RIGHT.webp']).entries, ['right.png', 'right.webp']);
    assert.throws(
      () => soundIn(wrong, ['right.png', 'Wrong.png']),
      /^MediaError: media\.jsonc:11: wrong\.png: The field/,
    );
    assert.throws(
      () => soundIn(wrong, ['night.webp']),
      /media\.jsonc:14: night\.webp: Its input night\.png has an error\./,
    );
  });

  it('reaches the captions of a transcript and the narration of a document', () => {
    const { entries } = soundIn({
      'call.md': { operation: 'transcribe', model: 'm' },
      'docs/call.srt': { captions: 'call.md' },
      'call.mp3': { operation: 'speak', model: 'm', document: 'call.md' },
    });
    assert.deepEqual(entries, []);
  });

  it('leaves out both entries of one path', () => {
    const { entries, problems } = soundIn({ 'a.png': picture, 'A.png': picture, 'b.png': picture });
    assert.deepEqual(entries, ['b.png']);
    assert.deepEqual(
      problems.map(({ path, sentence }) => [path, sentence]),
      [
        ['a.png', 'Another entry has the same path.'],
        ['A.png', 'Line 3 already has this path. Paths are compared case-insensitively.'],
      ],
    );
  });

  it('concerns all entries where it is outside of them', () => {
    for (const more of [{ style: 1 }, { stile: 'flat' }, { accepts: 1 }, { defaults: { speak: { voice: 1 } } }]) {
      assert.throws(() => soundIn({ 'a.png': picture }, [], more), /^MediaError: media\.jsonc:/);
    }
  });

  it('makes no orphan of a locked file', async () => {
    const root = await mkdtemp(join(tmpdir(), 'sound-'));
    const file = join(root, 'media.jsonc');
    await writeFile(file, JSON.stringify({ assets: wrong }));
    const paths = ['wrong.png', 'night.png', 'left.png'];
    for (const path of paths) await writeFile(join(root, path), path);
    const lines = paths.map((path) => JSON.stringify({ path, output: hashOf(path) }));
    await writeFile(join(root, 'media.lock.jsonl'), `${lines.join('\n')}\n`);
    const options = { root, library: libraryIn(root), store: new Store(join(root, 'work')) };
    await assert.rejects(ManifestProject.open(file, options), /media\.jsonc:1: wrong\.png: The field "operation"/);
    const project = await ManifestProject.open(file, { ...options, only: [] });
    const { plan, problems } = await planAssets(project, { sandbox: false, speechMaxCharacters: 10 });
    assert.deepEqual(
      plan.entries.map(({ path, state }) => `${path} ${state}`),
      ['right.png missing', 'right.webp missing', 'left.png orphan'],
    );
    assert.equal(problems.length, 3);
    await rm(root, { recursive: true });
  });
});
