import assert from 'node:assert/strict';
import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FaultySandbox, startFaultySandbox } from '../support/faultySandbox.ts';
import { CreateView } from './createView.ts';
import { eventually, eventuallyEqual } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the Create view and a service that fails', () => {
  let sandbox: FaultySandbox;
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    sandbox = await startFaultySandbox();
    workbench = await Workbench.start({
      machineSettings: {
        // Not on this computer, where a service may need no key.
        'unifiedMedia.imageBaseUrl': 'https://media.invalid',
        'unifiedMedia.audioBaseUrl': sandbox.audioBaseUrl,
        'unifiedMedia.videoBaseUrl': sandbox.videoBaseUrl,
        'unifiedMedia.models': { generateImage: Array.from({ length: 40 }, (_, index) => `listed-${index + 1}`) },
      },
    });
    view = await CreateView.open(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await sandbox?.stop();
  });

  it('shows three buttons while there is no key', async () => {
    const set = view.button('Set API Key');
    await set.waitFor();
    await view.button('Connect a Service…').waitFor();
    await view.button('Try the Sandbox').waitFor();
    await workbench.screenshot('create - no key');
  });

  it('says once that there is no key, and no longer when there is one', async () => {
    const set = view.button('Set API Key');
    await view.type('Prompt', 'A harbour');
    await view.submit();
    const alert = view.content.getByRole('alert').getByText('There is no API key for');
    await alert.waitFor({ state: 'attached' });
    await view.content.locator('.notice.failure').getByText('There is no API key for').waitFor();
    assert.equal(await set.count(), 1);
    await set.click();
    await workbench.answerInput('Paste the key', sandbox.key);
    await set.waitFor({ state: 'detached' });
    await alert.waitFor({ state: 'detached' });
    workbench.changeSettings({ 'unifiedMedia.imageBaseUrl': sandbox.imageBaseUrl });
    await setApiKey(workbench, sandbox.key);
  });

  it('starts with the first model of the settings, offers all of them and accepts any other', async () => {
    const model = view.field('Model');
    await eventuallyEqual(() => model.inputValue(), 'listed-1');
    await view.tabTo(model);
    await workbench.page.keyboard.press('ArrowDown');
    const option = (name: string) => view.content.getByRole('option', { name, exact: true });
    await option('listed-2').waitFor();
    await workbench.page.keyboard.press('ArrowUp');
    await eventually('the last one is visible', async () => {
      const last = await option('listed-40').boundingBox();
      const list = await view.content.getByRole('listbox').boundingBox();
      return last && list && list.y <= last.y && last.y + last.height <= list.y + list.height;
    });
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await eventuallyEqual(() => model.inputValue(), 'listed-2');
    await model.fill('my-own');
    assert.equal(await model.inputValue(), 'my-own');
  });

  it('shows a refusal in place of the result, as plain text, with actions', async () => {
    sandbox.faults.nextStatus(500, { body: { error: { message: 'The <b>painter</b> is ill.' } } });
    await view.type('Prompt', 'A harbour');
    await view.submit();
    const failure = view.result('A harbour');
    await failure.getByText('The <b>painter</b> is ill.').waitFor();
    await failure.getByRole('button', { name: 'Show Log' }).waitFor();
    await view.content.getByRole('alert').filter({ hasText: 'Failed: Generate Image.' }).waitFor();
    await workbench.screenshot('create - refused');
    await view.press(failure.getByRole('button', { name: 'Use Prompt' }));
    await eventually('the prompt is back', async () => (await view.field('Prompt').inputValue()) === 'A harbour');
    await view.press(failure.getByRole('button', { name: 'Run Again' }));
    await view.whenMade('media/images/a-harbour.png', 'A harbour');
    await view.results.getByRole('button', { name: 'Run Again' }).waitFor({ state: 'detached' });
  });

  it('confirms large requests; after Cancel it sends nothing and keeps the input', async () => {
    const paid = sandbox.counts.generateImage;
    await view.type('Prompt', 'Many boats');
    await view.type('Count', '5');
    await view.press(view.button('Generate 5 Images'));
    const dialog = await workbench.dialog('Generate 5 images?');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await view.field('Prompt').inputValue(), 'Many boats');
    await view.type('Count', '1');
    assert.equal(sandbox.counts.generateImage, paid);
  });

  it('shows a running job at once; when it is cancelled, its card goes and the status bar says that it may be billed', async () => {
    sandbox.faults.latencyMs = 120_000;
    await view.type('Prompt', 'A slow boat');
    await view.submit();
    const job = view.result('A slow boat');
    await job.getByTitle('waiting for the service').waitFor();
    await job.getByText(/^\d+:\d\d$/).waitFor();
    // A second press would pay again.
    await eventuallyEqual(() => view.field('Prompt').inputValue(), '');
    await workbench.screenshot('create - running');
    await view.press(job.getByRole('button', { name: 'Cancel' }));
    await workbench.page
      .locator('.statusbar')
      .getByText(/Cancel.*bill/)
      .waitFor();
    await job.waitFor({ state: 'detached' });
    await view.whenFocused(view.results.locator('.surface').first());
    await view.content.getByRole('status').filter({ hasText: 'Cancelled: ' }).waitFor({ state: 'attached' });
  });

  it('cancels a job that is still being prepared, and sends nothing of it', async () => {
    sandbox.faults.clear();
    // Most of it is a hole, which takes no room, but seconds to be read.
    const path = join(workbench.folder, 'long.mp4');
    copyFileSync(join(import.meta.dirname, '../support/recordings/mp4.mp4'), path);
    truncateSync(path, 8e9);
    await view.tab('Transcript').click();
    await view.dropUri(pathToFileURL(path).href);
    await view.attachments.getByText('long.mp4').waitFor();
    await view.field('Model').fill('writer');
    await view.submit();
    const job = view.result('long.mp4');
    await job.getByText('starting').waitFor();
    await job.getByRole('button', { name: 'Cancel' }).click();
    await job.waitFor({ state: 'detached' });
    await view.content.getByRole('status').filter({ hasText: 'Cancelled: ' }).waitFor({ state: 'attached' });
    assert.equal(sandbox.counts.transcribe, 0);
    await view.tab('Image').click();
  });

  it('notifies about a job that ends while the view is hidden', async () => {
    sandbox.faults.latencyMs = 0;
    const release = sandbox.faults.hold();
    await view.type('Prompt', 'A hidden boat');
    await view.submit();
    await view.result('A hidden boat').waitFor();
    const said = () => view.content.getByRole('status').filter({ hasText: 'Started: ' });
    await said().waitFor({ state: 'attached' });
    await workbench.runCommand('View: Show Explorer');
    view = await CreateView.open(workbench);
    await view.result('A hidden boat').getByText('waiting for the service').waitFor();
    assert.equal(await said().count(), 0, 'the job has not started again');
    await workbench.runCommand('View: Show Explorer');
    await workbench.page.locator('iframe.webview:visible').waitFor({ state: 'detached' });
    release();
    const saved = await workbench.notification('Saved a-hidden-boat.png.');
    await saved.getByRole('button', { name: 'Open' }).click();
    await workbench.editorTab('a-hidden-boat.png');
    view = await CreateView.open(workbench);
    await view.action('A hidden boat', 'Insert at Cursor').waitFor();
  });

  it('keeps the draft, the tab and the scroll position while it is hidden', async () => {
    await view.choose('Image');
    await view.type('Prompt', 'Half a sen');
    await workbench.page.setViewportSize({ width: 1280, height: 500 });
    const scroller = () => view.content.locator('.scroller');
    // Set again until it holds: the view can be scrolled only after the smaller window has reached it.
    await eventually('it is scrolled', () =>
      scroller().evaluate((element: { scrollTop: number }) => {
        element.scrollTop = 60;
        return element.scrollTop === 60;
      }),
    );
    await workbench.runCommand('View: Show Explorer');
    view = await CreateView.open(workbench);
    assert.equal(await view.field('Prompt').inputValue(), 'Half a sen');
    await view.result('A harbour').waitFor();
    await eventually('it is where it was', () =>
      scroller().evaluate(({ scrollTop }: { scrollTop: number }) => scrollTop === 60),
    );
    await workbench.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('keeps the draft, the jobs and the library in its tab across a reload, and sends nothing by itself', async () => {
    const paid = sandbox.counts.generateImage;
    sandbox.faults.latencyMs = 120_000;
    await view.choose('Image');
    await view.type('Prompt', 'A lost boat');
    await view.submit();
    await view.result('A lost boat').getByText('waiting for the service').waitFor();
    await view.choose('Video');
    await view.type('Prompt', 'Half a vid');
    await workbench.whenKept('Half a vid');
    await (await CreateView.openLibrary(workbench)).result('A harbour').waitFor();
    await workbench.reload();
    sandbox.faults.latencyMs = 0;
    const library = await CreateView.at(workbench, 'tab');
    await library.result('A harbour').waitFor();
    view = await CreateView.open(workbench);
    await eventuallyEqual(() => view.tab('Video').getAttribute('aria-selected'), 'true');
    assert.equal(await view.field('Prompt').inputValue(), 'Half a vid');
    const failure = view.result('A lost boat');
    await failure.getByText(/may still bill this request|may be billed/).waitFor();
    await failure.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).waitFor();
    await workbench.screenshot('create - after a reload');
    // The request that the reload cut off was still waiting to be accepted.
    assert.equal(sandbox.counts.generateImage, paid);
  });
});
