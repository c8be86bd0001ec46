import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { CreateView } from '../createView.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

story('the library in a tab', () => {
  let workbench: Workbench;
  let view: CreateView;
  let library: CreateView;

  before(async () => {
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
  });

  after(() => workbench?.stop());

  const details = (): Locator => library.content.getByRole('region', { name: 'Details' });

  it('opens by command and leaves composing to the side bar', async () => {
    view = await CreateView.open(workbench);
    await view.make('Image', 'A fox in the snow');
    await view.make('Image', 'A harbour at dawn');
    await view.make('Video', 'A fox runs');
    library = await CreateView.openLibrary(workbench);
    await library.result('A harbour at dawn').waitFor();
    assert.equal(await library.content.getByRole('tablist').count(), 0);
  });

  it('shows all details of the selection', async () => {
    await library.press(library.action('A fox in the snow', 'Show Details'));
    await details().getByText('A fox in the snow', { exact: true }).waitFor();
    for (const fact of ['sandbox-1', 'Generate Image', 'media/images/a-fox-in-the-snow.png', 'image/png']) {
      await details().getByText(fact, { exact: true }).waitFor();
    }
    await details()
      .getByText(/^[0-9a-f]{64}$/)
      .waitFor();
    await workbench.screenshot('library - selected');
  });

  it('moves to the next and previous result with the keyboard', async () => {
    await library.tabTo(details().getByRole('button', { name: 'Next' }));
    await workbench.page.keyboard.press('ArrowLeft');
    await details().getByText('A harbour at dawn', { exact: true }).waitFor();
    await workbench.page.keyboard.press('ArrowRight');
    await details().getByText('A fox in the snow', { exact: true }).waitFor();
    assert.equal(await details().getByRole('button', { name: 'Next' }).getAttribute('aria-disabled'), 'true');
    await workbench.page.keyboard.press('Escape');
    await details().waitFor({ state: 'detached' });
  });
});
