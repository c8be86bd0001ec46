import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';

describe('a plan that nobody asked for (promise 36)', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'unasked-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  async function problemFor(characters: number, isUnasked: boolean): Promise<string | undefined> {
    const assets = { 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm', voice: 'alloy' } };
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
    await writeFile(join(root, 'guide.md'), 'word '.repeat(characters / 5));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), {
      root,
      library: libraryIn(root),
      store: new Store(join(root, 'store')),
    });
    const options = { sandbox: false, speechMaxCharacters: 4096, isUnasked };
    return (await planAssets(project, options)).evaluated[0]?.problem?.sentence;
  }

  it('finding 2: does not read a document above 1 MB, unlike one that somebody asked for', async () => {
    const sentence = 'document: guide.md is larger than 1 MB. Plan Assets shows its state.';
    assert.equal(await problemFor(1_000_005, true), sentence);
    assert.equal(await problemFor(1_000_000, true), undefined);
    assert.equal(await problemFor(1_000_005, false), undefined);
  });
});
