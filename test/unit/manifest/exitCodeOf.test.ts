import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { exitCodeOf, planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

describe('exitCodeOf', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'exit-'));
  });

  afterEach(() => rmSync(root, { recursive: true }));

  async function codesOf(entry: object): Promise<readonly [plan: number | string, check: number]> {
    const manifest = join(root, 'media.jsonc');
    writeFileSync(manifest, JSON.stringify({ assets: { 'a.png': { model: 'm', prompt: 'x', ...entry } } }));
    const store = new Store(join(root, 'work'));
    const project = await ManifestProject.open(manifest, { root, library: libraryIn(root), store });
    const planned = await planAssets(project, { sandbox: false, speechMaxCharacters: 4096 });
    const codeOf = (verb: 'plan' | 'check') => exitCodeOf(verb, planned, manifest);
    try {
      return [codeOf('plan'), codeOf('check')];
    } catch (error) {
      return [String(error), codeOf('check')];
    }
  }

  it('is 2 for a plan with something to make, and 1 for a check', async () => {
    assert.deepEqual(await codesOf({ operation: 'generateImage' }), [2, 1]);
  });

  it('is 0 for a plan of a file that only a person can decide about, and 1 for its check', async () => {
    writeFileSync(join(root, 'a.png'), pngBytes);
    assert.deepEqual(await codesOf({ operation: 'generateImage' }), [0, 1]);
  });

  it('is an error for the plan of an entry that cannot be made, and 1 for its check', async () => {
    const [plan, check] = await codesOf({ operation: 'editImage', images: ['gone.png'] });
    assert.match(String(plan), /media\.jsonc:1: a\.png: input gone\.png is missing/);
    assert.equal(check, 1);
  });
});
