import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';
import { CreateView } from './createView.ts';
import { Workbench } from './workbench.ts';

describe('the Create view and a service that fails', () => {
  let sandbox: Sandbox;
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    sandbox = await startSandbox();
    workbench = await Workbench.start({
      machineSettings: {
        'unifiedMedia.imageBaseUrl': sandbox.imageBaseUrl,
        'unifiedMedia.audioBaseUrl': sandbox.audioBaseUrl,
        'unifiedMedia.videoBaseUrl': sandbox.videoBaseUrl,
        'unifiedMedia.models': { generateImage: ['listed-1', 'listed-2'] },
      },
    });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await sandbox?.stop();
  });

  it('has two buttons where there is no key, and takes them away when there is one', async () => {
    const set = view.button('Set API Key');
    await set.waitFor();
    await view.button('Try the Sandbox').waitFor();
    await workbench.screenshot('create - no key');
    await set.click();
    await workbench.answerInput('Paste the key', sandbox.key);
    await set.waitFor({ state: 'detached' });
  });

  it('starts with the model of the settings, and offers all of them', async () => {
    assert.equal(await view.field('Model').inputValue(), 'listed-1');
    const list = view.content.locator('datalist option[value="listed-2"]');
    assert.equal(await list.count(), 1);
  });

  it('shows a refusal as it is, with what can be done', async () => {
    sandbox.faults.nextStatus(500, { body: { error: { message: 'The <b>painter</b> is ill.' } } });
    await view.type('Prompt', 'A harbour');
    await view.submit();
    const failure = view.alert.locator('.failure', { hasText: 'The <b>painter</b> is ill.' });
    await failure.getByRole('button', { name: 'Show Log' }).waitFor();
    await workbench.screenshot('create - refused');
    await view.press(failure.getByRole('button', { name: 'Run Again' }));
    await view.whenMade('media/images/a-harbour.png', 'A harbour');
    await failure.waitFor({ state: 'detached' });
  });

  it('asks before much is sent, and sends nothing when that is declined', async () => {
    await view.type('Prompt', 'Many boats');
    await view.type('Count', '5');
    await view.submit();
    const dialog = await workbench.dialog('Generate 5 images?');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await view.type('Count', '1');
    assert.equal(existsSync(join(workbench.folder, 'media/images/many-boats.png')), false);
  });

  it('shows a running job, cancels it, and says that it may be billed', async () => {
    sandbox.faults.latencyMs = 120_000;
    await view.type('Prompt', 'A slow boat');
    await view.submit();
    await view.running.getByText('A slow boat').waitFor();
    await view.running.getByText('waiting for the service').waitFor();
    await view.running.getByText(/^0:0\d$/).waitFor();
    await workbench.screenshot('create - running');
    await view.press(view.running.getByRole('button', { name: 'Cancel' }));
    await view.running.getByText('Nothing is running.').waitFor();
    const failure = view.alert.locator('.failure', { hasText: /Cancel.*bill/ });
    await view.press(failure.getByRole('button', { name: 'Dismiss' }));
    await failure.waitFor({ state: 'detached' });
  });

  it('tells of what ends while it is hidden', async () => {
    sandbox.faults.latencyMs = 2000;
    await view.type('Prompt', 'A hidden boat');
    await view.submit();
    await view.running.getByText('A hidden boat').waitFor();
    await workbench.runCommand('View: Show Explorer');
    const saved = await workbench.notification('Saved a-hidden-boat.png.');
    await saved.getByRole('button', { name: 'Open' }).click();
    await workbench.editorTab('a-hidden-boat.png');
    view = await CreateView.open(workbench);
    await view.result('A hidden boat').waitFor();
  });

  it('keeps the draft, the tab and the place while it is hidden', async () => {
    await view.choose('Image');
    await view.type('Prompt', 'Half a sen');
    const scroll = () => view.content.locator('html').evaluate(({ scrollTop }: { scrollTop: number }) => scrollTop);
    await view.result('A harbour').getByRole('button', { name: 'Open' }).focus();
    const before = await scroll();
    assert(before > 0);
    await workbench.runCommand('View: Show Explorer');
    view = await CreateView.open(workbench);
    assert.equal(await view.field('Prompt').inputValue(), 'Half a sen');
    await view.result('A harbour').waitFor();
    assert.equal(await scroll(), before);
  });

  it('keeps the draft and the jobs over a reload, and sends nothing by itself', async () => {
    sandbox.faults.latencyMs = 120_000;
    await view.choose('Image');
    await view.type('Prompt', 'A lost boat');
    await view.submit();
    await view.running.getByText('waiting for the service').waitFor();
    await view.choose('Video');
    await view.type('Prompt', 'Half a vid');
    await workbench.whenKept('Half a vid');
    await workbench.reload();
    sandbox.faults.latencyMs = 0;
    view = await CreateView.open(workbench);
    assert.equal(await view.tab('Video').getAttribute('aria-selected'), 'true');
    assert.equal(await view.field('Prompt').inputValue(), 'Half a vid');
    const failure = view.alert.locator('.failure', { hasText: /may bill it|may be billed/ });
    await failure.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).waitFor();
    await workbench.screenshot('create - after a reload');
    assert.equal(existsSync(join(workbench.folder, 'media/images/a-lost-boat.png')), false);
  });
});

describe('the Create view where something is missing', () => {
  it('without a service has two buttons; in Restricted Mode says what is limited, and works', async () => {
    const workbench = await Workbench.start({ workspaceTrust: true });
    try {
      const view = await CreateView.open(workbench);
      await view.content.getByText('Restricted Mode').waitFor();
      await view.button('Manage Workspace Trust').waitFor();
      await view.button('Connect a Service…').waitFor();
      await workbench.screenshot('create - restricted, no service');
      await view.press(view.button('Try the Sandbox'));
      await view.button('Connect a Service…').waitFor({ state: 'detached' });
      await view.type('Prompt', 'A careful fox');
      await view.submit();
      await view.whenMade('media/images/a-careful-fox.png', 'A careful fox');
    } finally {
      await workbench.stop();
    }
  });
});
