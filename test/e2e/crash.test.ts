import assert from 'node:assert/strict';
import { startStandingService } from '../support/standingService.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

/**
 * What a person is told. Unit tests show what becomes of a job at every stage, and one of the journeys that a window saves
 * a result whose download was cut short.
 */
story('when the extension host ends while a request is out (promise 8)', () => {
  let workbench: Workbench;
  let service: Awaited<ReturnType<typeof startStandingService>>;

  before(async () => {
    service = await startStandingService();
    workbench = await Workbench.start({
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

  /** Starts a job and resolves when the service has its request. */
  async function send(prompt: string): Promise<void> {
    const reached = service.standAt('waiting');
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', prompt);
    await reached;
  }

  const told = () => workbench.notification('The editor closed before the whole answer was received');

  it('says after a kill that it may be billed, and sends nothing', async () => {
    await send('killed');
    // VS Code starts the next one by itself.
    workbench.killExtensionHost();
    service.release();
    await (await told()).getByRole('button', { name: 'Run Again (May Be Billed Again)' }).waitFor();
    await workbench.screenshot('crash - image while waiting');
    assert.equal(service.paid(), 1);
    await workbench.clearNotifications();
  });

  it('says so after a reload, and runs again on request', async () => {
    await setApiKey(workbench);
    await send('reloaded');
    service.release();
    await workbench.reload();
    const notification = await told();
    assert.equal(service.paid(), 2);
    await setApiKey(workbench);
    await notification.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).click();
    await workbench.editorTab('reloaded.png');
    assert.equal(service.paid(), 3);
  });
});
