import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { startStandingService } from '../support/standingService.ts';
import { setApiKey } from './setApiKey.ts';
import { Workbench } from './workbench.ts';

/** Limit for finding an abandoned job, in milliseconds; a window looks for them every 20 s. */
const limit = 90_000;

describe('with a private library (promise 8)', () => {
  let workbench: Workbench;
  let service: Awaited<ReturnType<typeof startStandingService>>;

  before(async () => {
    service = await startStandingService();
    workbench = await Workbench.start({
      userSettings: { 'unifiedMedia.library.location': 'private' },
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
      },
    });
    await setApiKey(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('the next extension host finds an interrupted job by itself and leaves no trace in the folder', async () => {
    const reached = service.standAt('saving');
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', 'a fox');
    await reached;
    workbench.killExtensionHost();
    service.release();
    await workbench.notification('Saved a-fox.png', limit);
    assert.deepEqual(readdirSync(workbench.folder), ['media']);
    assert.equal(service.paid(), 1);
  });
});
