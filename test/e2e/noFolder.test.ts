import assert from 'node:assert/strict';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('without a folder', () => {
  let sandbox: Sandbox;
  let workbench: Workbench;

  before(async () => {
    const args = { model: 'sandbox-1', prompt: 'a fox' };
    sandbox = await startSandbox();
    workbench = await Workbench.start({
      withoutFolder: true,
      machineSettings: {
        'unifiedMedia.imageBaseUrl': sandbox.imageBaseUrl,
        'unifiedMedia.models': { generateImage: ['sandbox-1'] },
      },
      keybindings: [{ key: 'ctrl+alt+i', command: 'unifiedMedia.generateImage', args }],
    });
    await setApiKey(workbench, sandbox.key);
  });

  after(async () => {
    await workbench?.stop();
    await sandbox?.stop();
  });

  it('rejects a keybinding, because it needs a folder and cannot ask', async () => {
    await workbench.page.keyboard.press('Control+Alt+i');
    await workbench.notification(
      'Nothing was sent. Open a folder first, so that the results can be saved in it. [save]',
    );
    await workbench.screenshot('no folder - keybinding');
    assert.equal(sandbox.counts.generateImage, 0);
  });
});
