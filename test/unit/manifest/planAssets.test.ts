import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/JobsInShell.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { skipUnless } from '../../support/skipUnless.ts';

describe('planAssets', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'plan-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function planned(manifest: object) {
    const file = join(root, 'media.jsonc');
    await writeFile(file, JSON.stringify(manifest));
    const store = new Store(join(root, 'work'));
    const project = await ManifestProject.open(file, { root, library: libraryIn(root), store });
    return planAssets(project, { sandbox: false, speechMaxCharacters: 4096 });
  }

  for (const operation of ['generateImage', 'editImage'] as const) {
    it(`counts as many pictures as a redeclared default asks for, as they are sent: ${operation} (promise 35)`, async () => {
      await writeFile(join(root, 'in.png'), pngBytes);
      const entry = { operation, model: 'm', prompt: 'p', ...(operation === 'editImage' && { images: ['in.png'] }) };
      const accepts = { [operation]: { n: { type: 'integer', maximum: 10, default: 10 } } };
      const { plan } = await planned({ accepts, assets: { 'a.png': entry, 'b.png': { ...entry, variants: 2 } } });
      assert.equal(plan.images, 12);
      const never = { [operation]: { n: false } };
      assert.equal((await planned({ accepts: never, assets: { 'a.png': entry } })).plan.images, 1);
    });
  }

  it('sends nothing for a file that only has other letters in upper case than its entry', async function () {
    await writeFile(join(root, 'hero.png'), pngBytes);
    skipUnless(this, !existsSync(join(root, 'Hero.png')), 'names of files that differ by case');
    const line = { path: 'hero.png', request: '0'.repeat(64), output: hashOf(pngBytes) };
    await writeFile(join(root, 'media.lock.jsonl'), `${JSON.stringify(line)}\n`);
    const assets = { 'Hero.png': { operation: 'generateImage', model: 'm', prompt: 'p' } };
    const { plan, evaluated } = await planned({ assets });
    assert.equal(plan.images, 0);
    assert.equal(evaluated[0]?.problem?.sentence, 'Its file is named hero.png. Rename the file to Hero.png.');
    await rename(join(root, 'hero.png'), join(root, 'Hero.png'));
    assert.equal((await planned({ assets })).evaluated[0]?.problem, undefined);
  });
});
