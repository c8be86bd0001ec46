import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the library in a tab', () => {
  let workbench: Workbench;
  let library: CreateView;

  before(async () => {
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
    library = await CreateView.openLibrary(workbench);
    await library.make('Image', 'A fox in the snow');
    await library.make('Image', 'A harbour at dawn');
    await library.make('Video', 'A fox runs');
  });

  after(() => workbench?.stop());

  const details = (): Locator => library.content.getByRole('region', { name: 'Details' });

  it('links a video to its source and its remixes', async () => {
    await library.action('A fox runs', 'Remix').click();
    await library.attachments.getByText('A fox runs').waitFor();
    await library.make('Video', 'In the rain');
    await library.action('In the rain', 'Show Details').click();
    await details().getByRole('list', { name: 'Made From' }).getByRole('button', { name: 'A fox runs' }).click();
    const remix = details().getByRole('list', { name: 'Derived Results' }).getByRole('button', { name: 'In the rain' });
    await remix.waitFor();
    await workbench.screenshot('library - lineage');
  });

  it('compares two pictures with a slider', async () => {
    for (const name of ['A fox in the snow', 'A harbour at dawn']) {
      await library.action(name, 'Show Details').click({ modifiers: ['Control'] });
    }
    await library.press(library.content.getByRole('button', { name: 'Compare' }));
    const slider = library.content.getByRole('dialog', { name: 'Compare' }).getByRole('slider');
    await library.tabTo(slider);
    await workbench.page.keyboard.press('Home');
    const clip = () => library.content.locator('.slider-pictures img').last().getAttribute('style');
    await eventually('only the second is seen', async () =>
      /inset\(0(px)? 0(px)? 0(px)? 0%\)/.test((await clip()) ?? ''),
    );
    await workbench.page.keyboard.press('End');
    await eventually('only the first is seen', async () => ((await clip()) ?? '').includes('100%'));
    for (let step = 0; step < 40; step++) await workbench.page.keyboard.press('ArrowLeft');
    await workbench.screenshot('library - compare');
    await workbench.page.keyboard.press('Escape');
    await library.press(library.content.getByRole('button', { name: 'Clear Selection' }));
  });

  it('plays two videos in step', async () => {
    for (const name of ['A fox runs', 'In the rain']) {
      const more = library.action(name, 'More Actions');
      await library.chooseIn(more, 'Select to Compare');
    }
    await library.press(library.content.getByRole('button', { name: 'Compare' }));
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    await library.press(dialog.getByRole('button', { name: 'Play' }));
    const times = () =>
      dialog.locator('video').evaluateAll((videos) => videos.map((video) => (video as unknown as Video).currentTime));
    await eventually('both play', async () => (await times()).every((time) => time > 0.5));
    const [one = 0, other = 9] = await times();
    assert(Math.abs(one - other) < 0.3, `${one} and ${other}`);
    await workbench.screenshot('library - in step');
    await workbench.page.keyboard.press('Escape');
  });

  it('opens at a result from its menu in the side bar', async () => {
    const view = await CreateView.open(workbench);
    await view.chooseIn(view.action('A harbour at dawn', 'More Actions'), 'Show in Library');
    await details().getByText('A harbour at dawn', { exact: true }).waitFor();
  });

  it('is restored after a reload', async () => {
    await workbench.editorTab('Media Library');
    await workbench.reload();
    library = await CreateView.at(workbench, 'tab');
    await library.result('A fox runs').waitFor();
  });
});

/** The DOM types are not available here. */
interface Video {
  readonly currentTime: number;
}
