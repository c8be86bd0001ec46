import assert from 'node:assert/strict';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { CreateView } from './createView.ts';
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
      files: { 'films/drafts/notes.md': '# Drafts\n' },
      machineSettings: {
        'unifiedMedia.imageBaseUrl': sandbox.imageBaseUrl,
        'unifiedMedia.models': { generateImage: ['sandbox-1'], generateVideo: ['painter'] },
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

  it('lists a video that was added by its ID in the folder that the person chooses', async () => {
    await CreateView.open(workbench);
    await workbench.runCommand('Media: Focus on Videos View');
    await workbench.runCommand('Media: Add Video by ID…');
    await workbench.answerFileDialog('Save Media In', `${workbench.folder}/films/`, 'drafts');
    await workbench.answerInput('The ID that the service gave the video', 'video_1');
    await workbench.answerInput('What the video shows', 'a fox runs');
    await workbench.notification('The video is in the list and can be remixed.');
    await workbench.page.getByRole('treeitem', { name: 'a fox runs' }).waitFor();
    await workbench.screenshot('no folder - videos');
    // The view has loaded its page again, with the folder.
    const view = await CreateView.open(workbench);
    await view.result('a fox runs').waitFor();
  });
});
