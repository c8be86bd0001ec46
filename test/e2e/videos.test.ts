import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateView } from './createView.ts';
import { actUntil, eventually, eventuallyEqual } from './eventually.ts';
import {
  choose,
  chooseByKeyboard,
  clickAction,
  expandVideo,
  generateVideo,
  hasFocus,
  itemOf,
  openVideos,
  photograph,
  remixVideo,
} from './mediaViews.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the Videos tree, by clicks and by keyboard', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: { 'README.md': '# Fox\n\n' },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
    await openVideos(workbench);
    await generateVideo(workbench, 'A fox in the snow');
    await remixVideo(workbench, 'A fox in the snow', 'At night');
  });

  after(() => workbench.stop());

  const video = (name: string) => itemOf(workbench, 'Videos', name);
  const question = () => workbench.question('What to change');

  async function levelOf(name: string): Promise<string | null> {
    await video(name).waitFor();
    return video(name).getAttribute('aria-level');
  }

  it('remixes the remix by keyboard', async () => {
    await workbench.runCommand('Media: Focus on Videos View');
    await eventually('the last video has the focus', async () => {
      await workbench.page.keyboard.press('End');
      return hasFocus(video('At night'));
    });
    await actUntil(question(), () => chooseByKeyboard(workbench, video('At night'), 'Remix Video…'));
    await workbench.answerInput('What to change', 'With northern lights');
    await expandVideo(workbench, 'At night', 'With northern lights');
    assert.equal(await levelOf('With northern lights'), '3');
    const library = readFileSync(join(workbench.folder, '.unified-media/library.jsonl'), 'utf8');
    const [first, second, third] = library
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Ids);
    assert.equal(second?.parentVideoId, first?.videoId);
    assert.equal(third?.parentVideoId, second?.videoId);
  });

  it('inserts one at the cursor', async () => {
    await workbench.openFile('README.md');
    await workbench.page.keyboard.press('ControlOrMeta+End');
    const reference = workbench.page.locator('.view-lines').getByText('media/videos/at-night.mp4').first();
    await actUntil(reference, () => choose(workbench, video('At night'), 'Insert Asset at Cursor'));
  });

  it('inserts a video that is dragged into a document with Shift held', async () => {
    await workbench.openFile('README.md');
    const { page } = workbench;
    const from = await video('With northern lights').boundingBox();
    const to = await page.locator('.editor-instance .view-line').first().boundingBox();
    assert(from && to);
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 20 });
    const prompt = page.locator('.editor-group-overlay-drop-into-prompt');
    await prompt.waitFor();
    await page.keyboard.down('Shift');
    await page.mouse.move(to.x + 20, to.y + 8, { steps: 5 });
    // A drop before the text editor has taken over would open the video.
    await prompt.waitFor({ state: 'hidden' });
    await page.mouse.move(to.x + 10, to.y + 8, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    // VS Code's own reference would not contain the prompt.
    const reference = 'src="media/videos/with-northern-lights.mp4" title="With northern lights"';
    await page.locator('.view-lines').getByText(reference).waitFor();
  });

  it('puts the prompt of a video and what it was remixed from into the composer', async () => {
    const view = await CreateView.at(workbench, 'view');
    await actUntil(view.button('Remix Video'), () => choose(workbench, video('With northern lights'), 'Use Prompt'));
    await eventuallyEqual(() => view.field('Prompt').inputValue(), 'With northern lights');
  });

  it('deletes a file after confirmation; the video is shown as missing and can still be remixed', async () => {
    const warning = workbench.dialogBox('Delete media/videos/a-fox-in-the-snow.mp4?');
    await actUntil(warning, () => choose(workbench, video('A fox in the snow'), 'Delete File…'));
    await warning.getByRole('button', { name: 'Move to Trash' }).click();
    // The server has no trash.
    const again = await workbench.dialog('cannot be moved to the trash');
    await again.getByRole('button', { name: 'Delete Permanently' }).click();
    await video('A fox in the snow, missing').waitFor();
    await photograph(workbench, 'videos');
    await actUntil(question(), () => clickAction(video('A fox in the snow'), 'Remix Video…'));
    await workbench.answerInput('What to change', 'In spring');
    assert.equal(await levelOf('In spring'), '2');
    const removal = workbench.dialogBox('Remove in-spring.mp4 from the list?');
    await actUntil(removal, () => choose(workbench, video('In spring'), 'Remove from List'));
    await removal.getByRole('button', { name: 'Remove from List' }).click();
    await video('In spring').waitFor({ state: 'detached' });
    assert(readdirSync(join(workbench.folder, 'media/videos')).includes('in-spring.mp4'));
  });
});

interface Ids {
  readonly videoId: string;
  readonly parentVideoId?: string;
}
