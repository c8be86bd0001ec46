import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pngBytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { eventually, Workbench } from './workbench.ts';

describe('the Create view, by keyboard alone', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: { 'README.md': 'Here: \n', ...loudVideo },
    });
    view = await CreateView.open(workbench);
  });

  after(() => workbench?.stop());

  it('says of a video with AAC sound that it plays silently, and offers to open it elsewhere', async () => {
    const loud = view.result('A loud video');
    await loud.getByText('VS Code plays this video without its sound').waitFor();
    await loud.getByRole('button', { name: 'Open Externally' }).waitFor();
  });

  it('generates an image', async () => {
    await view.choose('Image');
    await view.type('Prompt', 'A fox in the snow');
    await view.submit();
    await view.whenMade('media/images/a-fox-in-the-snow.png', 'A fox in the snow');
    await view.result('A fox in the snow').getByRole('img', { name: 'A fox in the snow' }).waitFor();
  });

  it('says what is missing at the field, before anything is sent', async () => {
    await view.choose('Edit Image');
    await view.submit();
    await view.content.getByText('Prompt (prompt) is missing.').waitFor();
    await view.content.getByText('Images (image_urls) must hold at least one image.').waitFor();
    assert.equal(await view.field('Prompt').getAttribute('aria-invalid'), 'true');
    await view.whenFocused(view.field('Prompt'));
    await workbench.screenshot('create - missing');
  });

  it('edits it, named by its path', async () => {
    await view.type('Prompt', 'At night');
    await view.type('Images', 'media/images/no-such.png');
    await workbench.page.keyboard.press('Enter');
    await view.alert.filter({ hasText: 'no-such.png does not exist.' }).waitFor();
    await view.type('Images', 'media/images/a-fox-in-the-snow.png');
    await workbench.page.keyboard.press('Enter');
    await view.content.getByRole('button', { name: 'Remove a-fox-in-the-snow.png' }).waitFor();
    await view.submit();
    await view.whenMade('media/images/at-night.png', 'At night');
  });

  it('takes an image that is chosen from the library, and one from the disk', async () => {
    await view.choose('Animate Image');
    await view.press(view.button('From Library…'));
    await workbench.quickInput('Choose from the library');
    // Whoever goes to its buttons has not left the field.
    assert.equal(await view.content.getByText('Image (image_url) is missing.').count(), 0);
    await workbench.screenshot('create - from library');
    await workbench.pick('Choose from the library', 'at-night.png');
    await view.content.getByRole('button', { name: 'Remove at-night.png' }).waitFor();
    await view.press(view.button('Choose File…'));
    const name = 'a-fox-in-the-snow.png';
    await workbench.answerFileDialog('Image', join(workbench.folder, 'media/images', name), name);
    await view.content.getByRole('button', { name: `Remove ${name}` }).waitFor();
    // The field holds one.
    assert.equal(await view.content.getByRole('button', { name: /^Remove / }).count(), 1);
    await view.press(view.button(`Remove ${name}`));
  });

  it('speaks, and plays what it made', async () => {
    await view.choose('Speech');
    await view.type('Text', 'The lamps come on.');
    await view.tabTo(view.field('Voice'));
    await workbench.page.keyboard.type('nova');
    await view.submit();
    await view.whenMade('media/speech/the-lamps-come-on.mp3', 'The lamps come on.');
    const audio = view.result('The lamps come on.').locator('audio');
    await eventually('it can be played', () => audio.evaluate(({ duration }: { duration: number }) => duration > 0.5));
  });

  for (const [tab, file] of [
    ['Transcribe', 'the-lamps-come-on.md'],
    ['Translate', 'the-lamps-come-on-2.md'],
  ] as const) {
    it(`${tab.toLowerCase()}s it`, async () => {
      await view.choose(tab);
      // Sent at once: what was typed last counts.
      await view.type('Audio file', 'media/speech/the-lamps-come-on.mp3');
      await view.submit();
      await view.whenMade(`media/transcripts/${file}`, file);
      assert.equal(await view.result(file).locator('.transcript').textContent(), 'The lamps come on.');
    });
  }

  it('generates a video, and one from an image', async () => {
    await view.choose('Video');
    await view.type('Prompt', 'A fox runs');
    await view.submit();
    await view.whenMade('media/videos/a-fox-runs.mp4', 'A fox runs');
    await view.choose('Animate Image');
    await view.type('Prompt', 'It turns around');
    await view.type('Image', 'media/images/at-night.png');
    await view.submit();
    await view.whenMade('media/videos/it-turns-around.mp4', 'It turns around');
    const video = view.result('It turns around').locator('video');
    await eventually('it can be played', () => video.evaluate(({ duration }: { duration: number }) => duration > 1));
  });

  it('remixes a video of the list', async () => {
    await view.choose('Remix');
    await view.tabTo(view.field('Video'));
    await workbench.page.keyboard.type('A fox runs');
    assert.match(await view.field('Video').locator('option:checked').innerText(), /^A fox runs/);
    await view.type('Prompt', 'In the rain');
    await view.press(view.button('Remix'));
    await view.whenMade('media/videos/in-the-rain.mp4', 'In the rain');
  });

  it('takes a result to the Remix tab', async () => {
    await view.press(view.result('It turns around').getByRole('button', { name: 'Remix' }));
    await view.content.locator('[role=tab][aria-selected=true]', { hasText: 'Remix' }).waitFor();
    const chosen = view.field('Video').locator('option:checked', { hasText: /^It turns around/ });
    await chosen.waitFor({ state: 'attached' });
    await view.whenFocused(view.field('Prompt'));
  });

  it('reuses a prompt', async () => {
    await view.press(view.result('A fox in the snow').getByRole('button', { name: 'Reuse Prompt' }));
    await view.content.locator('[role=tab][aria-selected=true]', { hasText: /^Image$/ }).waitFor();
    assert.equal(await view.field('Prompt').inputValue(), 'A fox in the snow');
  });

  it('inserts a result at the cursor', async () => {
    await workbench.openFile('README.md');
    await workbench.page.keyboard.press('Control+End');
    view = await CreateView.open(workbench);
    await view.press(view.result('A fox in the snow').getByRole('button', { name: 'Insert at Cursor' }));
    const text = workbench.page.locator('.editor-instance .view-lines');
    await text.filter({ hasText: '![A fox in the snow](media/images/a-fox-in-the-snow.png)' }).waitFor();
  });

  it('opens a result', async () => {
    await view.press(view.result('A fox in the snow').getByRole('button', { name: 'Open' }));
    await workbench.editorTab('a-fox-in-the-snow.png');
  });

  it('takes a file that is dropped from outside of the editor', async () => {
    await view.tab('Animate Image').click();
    await view.drop('outside.png', pngBytes);
    const dropped = view.content.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'outside.png' });
    await dropped.locator('img').waitFor();
    await view.drop('outside.txt', Buffer.from('no picture'));
    await view.alert.filter({ hasText: 'outside.txt is no image.' }).waitFor();
    await dropped.waitFor();
  });

  it('has shown no notification for all of that', async () => {
    assert.equal(await workbench.page.locator('.notifications-toasts .notification-list-item').count(), 0);
  });
});

/** An MP4 file whose index names the format of its sound; there is nothing in it to play. */
const loudVideo = {
  'media/videos/loud.mp4': Buffer.from('\0\0\0\x0cftypisom\0\0\0\x0cmoovmp4a', 'latin1'),
  '.unified-media/library.jsonl': `${JSON.stringify({
    file: 'media/videos/loud.mp4',
    kind: 'videos',
    operation: 'generateVideo',
    model: 'other',
    prompt: 'A loud video',
    createdAt: '2026-01-02T03:04:05Z',
    jobId: 'loud',
  })}\n`,
};
