import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mp4Bytes } from '../support/mediaBytes.ts';
import { startStandingService } from '../support/standingService.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { Workbench } from './workbench.ts';

/** Limit for finding an abandoned job, in milliseconds; a window looks for them every 20 s. */
const limit = 90_000;

describe('when the extension host of one of two windows is killed', () => {
  let survivor: Workbench;
  let service: Awaited<ReturnType<typeof startStandingService>>;

  before(async () => {
    service = await startStandingService();
    survivor = await Workbench.start({
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
      },
    });
    // This also activates the extension.
    await setApiKey(survivor);
  });

  after(async () => {
    await survivor?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('during its request, the other window shows the job', async () => {
    const window = await survivor.openWindow();
    await setApiKey(window);
    const reached = service.standAt('waiting');
    await window.runCommand('Media: Generate Image…');
    await window.answerInput('What the image shows', 'A lighthouse');
    await reached;
    await window.crash();
    service.release();
    const notification = await survivor.notification('The editor closed before the whole answer was received', limit);
    await notification.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).waitFor();
    await survivor.screenshot('two windows - the other one was killed while waiting');
    assert.equal(service.paid(), 1);
  });
});

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

describe('a video in progress at the service (promise 8)', () => {
  let workbench: Workbench;
  let service: Awaited<ReturnType<typeof startStandingService>>;

  before(async () => {
    service = await startStandingService();
    workbench = await Workbench.start({
      withoutFolder: true,
      files: { 'films/drafts/notes.md': '# Drafts\n', 'project/readme.md': '# Project\n' },
      machineSettings: {
        'unifiedMedia.videoBaseUrl': service.origin,
        'unifiedMedia.videoStatusPath': '/v1/videos/{id}',
        'unifiedMedia.models': { generateVideo: ['painter'] },
      },
    });
    await setApiKey(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it('survives Open Folder and a reload, and is paid for once', async () => {
    const reached = service.standAt('polling');
    await workbench.runCommand('Media: Generate Video…');
    await workbench.answerFileDialog('Save Media In', `${workbench.folder}/films/`, 'drafts');
    await workbench.answerInput('What happens in the video', 'a fox runs');
    await reached;

    await workbench.openFolder('project');
    await workbench.runCommand('Media: Show Log');
    // VS Code in the browser keeps keys in the memory of the window.
    await workbench.notification('There is no API key for');
    await workbench.reload();
    service.release();
    await setApiKey(workbench);
    await workbench.runCommand('Media: Download Again…');
    await workbench.pick('Choose a job', 'Generate Video “a fox runs”');
    const file = join(workbench.folder, 'films/a-fox-runs.mp4');
    await eventually('the video is saved', async () => existsSync(file));
    assert.deepEqual(readFileSync(file), mp4Bytes);
    assert.equal(service.paid(), 1);
  });
});
