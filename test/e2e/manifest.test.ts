import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaService } from '../support/mediaService.ts';
import { startMediaService } from '../support/mediaService.ts';
import { clickUntil } from './eventually.ts';
import { Workbench } from './workbench.ts';

const assets = { 'hero.png': { operation: 'generateImage', prompt: 'A harbour at dawn', model: 'sandbox-1' } };

describe('media.jsonc in a folder that is not trusted (promise 34)', () => {
  let workbench: Workbench;
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
    workbench = await Workbench.start({
      files: { 'media.jsonc': JSON.stringify({ assets }) },
      workspaceTrust: true,
      machineSettings: { 'unifiedMedia.imageBaseUrl': service.origin },
    });
  });

  after(async () => {
    await workbench.stop();
    await service[Symbol.asyncDispose]();
  });

  it('is shown, and nothing is sent', async () => {
    await workbench.openFile('media.jsonc');
    const apply = workbench.page.locator('.codelens-decoration').getByText('Apply…', { exact: true });
    await clickUntil(apply, workbench.toast('Nothing was sent, because this workspace is not trusted.'));
    assert.deepEqual(service.received, []);
    assert(!existsSync(join(workbench.folder, 'media.lock.jsonl')));
  });
});
