import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mp4Bytes } from '../support/mediaBytes.ts';
import { startStandingService } from '../support/standingService.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('without a folder', () => {
  let service: Awaited<ReturnType<typeof startStandingService>>;
  let workbench: Workbench;

  before(async () => {
    const args = { model: 'painter', prompt: 'a fox' };
    service = await startStandingService();
    workbench = await Workbench.start({
      withoutFolder: true,
      files: { 'films/drafts/notes.md': '# Drafts\n', 'project/readme.md': '# Project\n' },
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.videoBaseUrl': service.origin,
        'unifiedMedia.videoStatusPath': '/v1/videos/{id}',
        'unifiedMedia.models': { generateImage: ['painter'], generateVideo: ['painter'] },
      },
      keybindings: [{ key: 'ctrl+alt+i', command: 'unifiedMedia.generateImage', args }],
    });
    await setApiKey(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('rejects a keybinding, because it needs a folder and cannot ask', async () => {
    await workbench.page.keyboard.press('Control+Alt+i');
    await workbench.notification(
      'Nothing was sent. Open a folder first, so that the results can be saved in it. [save]',
    );
    await workbench.screenshot('no folder - keybinding');
    assert.equal(service.paid(), 0);
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

  it('makes a video in that folder, which survives Open Folder and is paid for once (promise 8)', async () => {
    const reached = service.standAt('polling');
    await workbench.runCommand('Media: Generate Video…');
    await workbench.answerInput('What happens in the video', 'an owl flies');
    await reached;

    await workbench.openFolder('project');
    await workbench.runCommand('Media: Show Log');
    // VS Code in the browser keeps keys in the memory of the window. A service on this computer is asked without one.
    service.release();
    const file = join(workbench.folder, 'films/an-owl-flies.mp4');
    await eventually('the video is saved', async () => existsSync(file));
    assert.deepEqual(readFileSync(file), mp4Bytes);
    assert.equal(service.paid(), 1);
  });
});
