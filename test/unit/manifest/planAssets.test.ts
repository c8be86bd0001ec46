import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/JobsInShell.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

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
});
