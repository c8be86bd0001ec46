import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CreateView } from '../createView.ts';
import { actUntil } from '../eventually.ts';
import { clickAction, generateVideo, itemOf, openVideos, remixVideo } from '../mediaViews.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

story('a first video in the Videos tree', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
  });

  after(() => workbench?.stop());

  const video = (name: string) => itemOf(workbench, 'Videos', name);

  it('is generated from the empty tree', async () => {
    await openVideos(workbench);
    await workbench.page.getByRole('button', { name: 'Add Video by ID…' }).last().waitFor();
    await workbench.screenshot('videos - empty');
    await generateVideo(workbench, 'A fox in the snow');
    await workbench.notification('Saved a-fox-in-the-snow.mp4.');
  });

  it('is remixed by a click with its model, asking only for the prompt', async () => {
    await remixVideo(workbench, 'A fox in the snow', 'At night');
    assert.equal(await video('At night').getAttribute('aria-level'), '2');
    const folder = join(workbench.folder, 'media/videos');
    assert.deepEqual(readdirSync(folder).sort(), ['a-fox-in-the-snow.mp4', 'at-night.mp4']);
  });

  it('plays one', async () => {
    await actUntil(workbench.tab('at-night.mp4'), () => clickAction(video('At night'), 'Play'));
    // The player takes the focus when it appears, which would close a menu.
    await (await workbench.webview('body:not(:has(#create)) video')).locator('video').waitFor();
  });

  it('is in the library, with its details and what it was made from', async () => {
    const library = await CreateView.openLibrary(workbench);
    await library.press(library.action('At night', 'Show Details'));
    const details = library.content.getByRole('region', { name: 'Details' });
    await details.getByText('media/videos/at-night.mp4', { exact: true }).waitFor();
    await details.getByRole('list', { name: 'Made from' }).getByRole('button', { name: 'A fox in the snow' }).waitFor();
  });
});
