import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
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
      files: { 'beside/notes.md': '# Notes\n' },
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

  it('asks the user where to save', async () => {
    await workbench.runCommand('Media: Generate Image…');
    await workbench.quickInput('Save Media In');
    await workbench.screenshot('no folder - where to save');
    await workbench.answerFileDialog('Save Media In', `${workbench.folder}/`, 'beside');
    await workbench.answerInput('What the image shows', 'A lighthouse');
    await workbench.editorTab('a-lighthouse.png');
    assert.deepEqual(readdirSync(workbench.folder), ['a-lighthouse.png', 'beside']);
  });

  it('rejects a keybinding, because it needs a folder and cannot ask', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.page.keyboard.press('Control+Alt+i');
    await workbench.notification(
      'Nothing was sent. Open a folder first, so that the results can be saved in it. [save]',
    );
    await workbench.screenshot('no folder - keybinding');
    assert.equal(sandbox.counts.generateImage, 1);
  });
});
