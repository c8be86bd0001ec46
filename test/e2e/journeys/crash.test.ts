import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pngBytes } from '../../support/mediaBytes.ts';
import { startStandingService } from '../../support/standingService.ts';
import { setApiKey } from '../setApiKey.ts';
import { Workbench } from '../workbench.ts';

/** How long the next extension host may take to find the job, in milliseconds; it looks every 20 s. */
const limit = 90_000;

describe('a crash of the editor during a download (promise 8)', () => {
  let workbench: Workbench;

  after(() => workbench?.stop());

  it('loses nothing: the next extension host saves the picture, which is paid once, and a private library leaves no trace', async () => {
    await using service = await startStandingService();
    workbench = await Workbench.start({
      userSettings: { 'unifiedMedia.library.location': 'private' },
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
      },
    });
    await setApiKey(workbench);
    const downloading = service.standAt('downloading');
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', 'A lighthouse');
    await downloading;
    workbench.killExtensionHost();
    service.release();
    await workbench.notification('Saved a-lighthouse.png', limit);
    assert.deepEqual(readdirSync(workbench.folder), ['media']);
    const folder = join(workbench.folder, 'media/images');
    assert.deepEqual(readdirSync(folder), ['a-lighthouse.png']);
    assert.deepEqual(readFileSync(join(folder, 'a-lighthouse.png')), pngBytes);
    assert.equal(service.paid(), 1);
  });
});
