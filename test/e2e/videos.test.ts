import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { actUntil, eventually, eventuallyEqual } from './eventually.ts';
import { choose, chooseByKeyboard, clickAction, hasFocus, itemOf, openVideos, photograph } from './mediaViews.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the Videos tree, by clicks and by keyboard', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: { 'README.md': '# Fox\n\n' },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
  });

  after(() => workbench.stop());

  const video = (name: string) => itemOf(workbench, 'Videos', name);
  const question = () => workbench.question('What to change');

  async function levelOf(name: string): Promise<string | null> {
    await video(name).waitFor();
    return video(name).getAttribute('aria-level');
  }

  /** Expands a video until its remix is visible. More presses of the key than needed only move the focus. */
  async function expand(name: string, remix: string): Promise<void> {
    await video(name).click();
    await eventually(`${remix} is visible`, async () => {
      await workbench.page.keyboard.press('ArrowRight');
      return video(remix).isVisible();
    });
  }

  it('starts empty and says what to do', async () => {
    await openVideos(workbench);
    await workbench.page.getByRole('button', { name: 'Add Video by ID…' }).last().waitFor();
    await workbench.screenshot('videos - empty');
    await workbench.page.getByRole('button', { name: 'Generate Video…' }).click();
    await workbench.pick('Choose a model, or type its name', 'sandbox-1');
    await workbench.answerInput('What happens in the video', 'A fox in the snow');
    await video('A fox in the snow').waitFor();
    await workbench.notification('Saved a-fox-in-the-snow.mp4.');
  });

  it('remixes by a click with the video’s model, asking only for the prompt', async () => {
    await actUntil(question(), () => clickAction(video('A fox in the snow'), 'Remix Video…'));
    await workbench.answerInput('What to change', 'At night');
    await eventually('the video has a remix', async () => {
      return (await video('A fox in the snow').getAttribute('aria-expanded')) !== null;
    });
    await expand('A fox in the snow', 'At night');
    assert.equal(await levelOf('At night'), '2');
  });

  it('remixes the remix by keyboard', async () => {
    await workbench.runCommand('Media: Focus on Videos View');
    await eventually('the last video has the focus', async () => {
      await workbench.page.keyboard.press('End');
      return hasFocus(video('At night'));
    });
    await actUntil(question(), () => chooseByKeyboard(workbench, video('At night'), 'Remix Video…'));
    await workbench.answerInput('What to change', 'With northern lights');
    await eventually(
      'the remix has a remix',
      async () => (await video('At night').getAttribute('aria-expanded')) !== null,
    );
    await expand('At night', 'With northern lights');
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

  it('starts a new video from the prompt of an old one', async () => {
    const models = workbench.question('Choose a model, or type its name');
    await actUntil(models, () => choose(workbench, video('With northern lights'), 'Reuse Prompt…'));
    await workbench.pick('Choose a model, or type its name', 'sandbox-1');
    const prompt = await workbench.quickInput('What happens in the video');
    await eventuallyEqual(() => prompt.locator('input[type="text"]').last().inputValue(), 'With northern lights');
    await workbench.page.keyboard.press('Escape');
  });

  it('plays one', async () => {
    await actUntil(workbench.tab('at-night.mp4'), () => clickAction(video('At night'), 'Play'));
    // The player takes the focus when it appears, which would close a menu.
    await (await workbench.webview('body:not(:has(#create)) video')).locator('video').waitFor();
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
    await actUntil(video('In spring'), () => choose(workbench, video('In spring'), 'Remove from List'), 'detached');
    assert(readdirSync(join(workbench.folder, 'media/videos')).includes('in-spring.mp4'));
  });
});

interface Ids {
  readonly videoId: string;
  readonly parentVideoId?: string;
}
