import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLease } from '../../../src/manifest/applyAssets.ts';
import { Variants } from '../../../src/manifest/Variants.ts';

describe('takeLease', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lease-project-'));
  });

  afterEach(() => rm(root, { recursive: true }));

  it('leaves a manifest to a live program whose heartbeat looks old just after a sleep', async () => {
    const silence = 300;
    const variants = new Variants(root, root);
    const lease = await takeLease({ variants }, silence);
    const then = new Date(Date.now() - 60 * 60 * 1000);
    await utimes(join(variants.folder, 'applying', 'lease-1'), then, then);
    await assert.rejects(takeLease({ variants }, silence), { kind: 'invalidInput', message: /Another program/ });
    await lease.release();
    await (await takeLease({ variants }, silence)).release();
  });
});
