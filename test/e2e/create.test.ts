import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { pngBytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the Create view, by keyboard alone', () => {
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

  it('says that a video with AAC sound plays silently, and offers to open it externally', async () => {
    const name = 'VS Code cannot play the AAC sound of this video. Open Externally';
    await view.action('A loud video', name).waitFor();
  });

  it('is ready to type when it opens, and generates an image', async () => {
    await view.whenFocused(view.field('Prompt'));
    await workbench.page.keyboard.insertText('A fox in the snow');
    await view.press(view.button('Generate Image'));
    await view.whenMade('media/images/a-fox-in-the-snow.png', 'A fox in the snow');
    await view.result('A fox in the snow').getByRole('img', { name: 'A fox in the snow' }).waitFor();
  });

  it('shows results of the chosen tab until a kind is chosen', async () => {
    const kind = view.content.getByLabel('Kind of result');
    await view.choose('Video');
    await eventually('videos are shown', async () => (await kind.inputValue()) === 'videos');
    await view.result('A fox in the snow').waitFor({ state: 'detached' });
    await kind.selectOption('Speech');
    await view.choose('Image');
    assert.equal(await kind.inputValue(), 'speech');
  });

  it('shows what was just asked for whatever the filter, until all is shown', async () => {
    await view.type('Prompt', 'A heron');
    await view.press(view.button('Generate Image'));
    await view.whenMade('media/images/a-heron.png', 'A heron');
    await view.result('A heron').getByText('hidden by the filter').waitFor();
    await workbench.screenshot('create - hidden by the filter');
    await view.action('A heron', 'Show All').click();
    await view.result('A fox in the snow').waitFor();
    assert.equal(await view.result('A heron').getByText('hidden by the filter').count(), 0);
  });

  it('reports a missing value at its field before anything is sent', async () => {
    await view.submit();
    await view.alert.getByText('Prompt is missing.').waitFor();
    assert.equal(await view.field('Prompt').getAttribute('aria-invalid'), 'true');
    await view.whenFocused(view.field('Prompt'));
    await workbench.screenshot('create - missing');
  });

  it('goes through earlier prompts with Up and Down, only in an empty prompt', async () => {
    const { keyboard } = workbench.page;
    const prompt = view.field('Prompt');
    await keyboard.press('ArrowUp');
    await eventually('the last prompt is there', async () => (await prompt.inputValue()) === 'A heron');
    await keyboard.press('ArrowDown');
    await eventually('it is empty again', async () => (await prompt.inputValue()) === '');
    await keyboard.insertText('x');
    await keyboard.press('ArrowUp');
    assert.equal(await prompt.inputValue(), 'x');
  });

  it('edits an image from a result', async () => {
    await view.press(view.action('A fox in the snow', 'Edit'));
    await view.attachments.getByText('a-fox-in-the-snow.png').waitFor();
    await view.whenFocused(view.field('Prompt'));
    await view.type('Prompt', 'At night');
    await view.press(view.button('Edit Image'));
    await view.whenMade('media/images/a-fox-in-the-snow-2.png', 'At night');
  });

  it('attaches an image from the library, from the disk and by URL', async () => {
    await view.choose('Video');
    await view.button('Generate Video').waitFor();
    await view.attach('From Library…');
    await workbench.quickInput('Choose from the library');
    await workbench.screenshot('create - from library');
    await workbench.pick('Choose from the library', 'a-fox-in-the-snow-2.png');
    await view.attachments.getByText('a-fox-in-the-snow-2.png').waitFor();
    await view.attach('File…');
    const name = 'a-fox-in-the-snow.png';
    await workbench.answerFileDialog('Attach an Image', join(workbench.folder, 'media/images', name), name);
    await view.attachments.getByText(name).waitFor();
    assert.equal(await view.attachments.getByRole('listitem').count(), 1, 'a video starts from one image');
    await view.attach('URL…');
    await workbench.answerInput('The service downloads the image', 'https://example.com/harbour.png');
    await view.attachments.getByText('harbour.png').waitFor();
    await view.button('Animate Image').waitFor();
    await view.press(view.button('Remove harbour.png'));
    await view.button('Generate Video').waitFor();
  });

  it('speaks and plays the result', async () => {
    await view.choose('Speech');
    await view.type('Text', 'The lamps come on.');
    await view.tabTo(view.field('Voice'));
    await workbench.page.keyboard.type('nova');
    await view.press(view.button('More Options'));
    await view.type('Audio format', 'wav');
    await view.press(view.button('Speak'));
    await view.whenMade('media/speech/the-lamps-come-on.wav', 'The lamps come on.');
    const audio = view.result('The lamps come on.').locator('audio');
    await eventually('it can be played', () => audio.evaluate(({ duration }: { duration: number }) => duration > 0.5));
    // It would soon end by itself.
    await audio.evaluate((player: { loop: boolean }) => {
      player.loop = true;
    });
    await view.press(view.action('The lamps come on.', 'Play'));
    await view.press(view.action('The lamps come on.', 'Pause'));
    await view.action('The lamps come on.', 'Play').waitFor();
  });

  it('lets a voice be heard, and lists favourites first', async () => {
    await view.press(view.button('Play Voice'));
    await eventually('the sample has played', () =>
      view.content.locator('.voice audio').evaluate(({ currentTime }: { currentTime: number }) => currentTime > 0),
    );
    await view.press(view.button('Favourite Voice'));
    const first = view.field('Voice').locator('option').first();
    await eventually('it is the first', async () => (await first.textContent()) === '★ nova – bright');
    await workbench.screenshot('create - favourite voice');
  });

  it('translates it by the menu of the result and a switch', async () => {
    await view.chooseIn(view.action('The lamps come on.', 'More Actions'), 'Transcribe');
    await view.attachments.getByText('the-lamps-come-on.wav').waitFor();
    await view.tabTo(view.content.getByRole('switch', { name: 'Translate to English' }));
    await workbench.page.keyboard.press('Space');
    await view.press(view.button('Translate to English'));
    await view.whenMade('media/transcripts/the-lamps-come-on.md', 'the-lamps-come-on.md');
  });

  it('generates a video, shows its first frame and stores it as a preview', async () => {
    await view.choose('Video');
    await view.type('Prompt', 'A fox runs');
    await view.press(view.button('Generate Video'));
    await view.whenMade('media/videos/a-fox-runs.mp4', 'A fox runs');
    const result = view.result('A fox runs');
    await result.getByText(/^0:0\d$/).waitFor({ state: 'attached' });
    await eventually('its first frame is kept', async () => workbench.storedPreviews().length === 1);
    const [preview] = workbench.storedPreviews();
    assert.equal(preview?.subarray(8, 12).toString(), 'WEBP');
  });

  it('attaches an image to animate', async () => {
    await view.press(view.action('At night', 'Animate'));
    await view.attachments.getByText('a-fox-in-the-snow-2.png').waitFor();
    await view.button('Animate Image').waitFor();
  });

  it('is one stop for the Tab key', async () => {
    const tabbable = view.results.locator('li').locator('button:not([tabindex="-1"]), input:not([tabindex="-1"])');
    assert.equal(await tabbable.count(), 1);
  });

  it('marks results with a star, and shows only these', async () => {
    const star = view.action('At night', 'Star');
    await view.press(star);
    await eventually('it has a star', async () => (await star.getAttribute('aria-pressed')) === 'true');
    const starred = view.content.getByRole('checkbox', { name: 'Starred' });
    await view.tabTo(starred);
    await workbench.page.keyboard.press('Space');
    await view.result('A fox runs').waitFor({ state: 'detached' });
    await view.result('At night').waitFor();
    await workbench.screenshot('create - starred');
    await workbench.page.keyboard.press('Space');
    await view.result('A fox runs').waitFor();
  });

  it('opens the menu of a tile by a right click', async () => {
    await view.action('At night', 'Open').click({ button: 'right' });
    await view.content.getByRole('menuitem', { name: 'Remove Star' }).waitFor();
    await workbench.screenshot('create - context menu');
    await workbench.page.keyboard.press('Escape');
    await view.whenFocused(view.action('At night', 'Open'));
  });

  it('filters by words and by kind', async () => {
    await view.tabTo(view.content.getByRole('searchbox', { name: 'Filter' }));
    await workbench.page.keyboard.insertText('NIGHT');
    await eventually('one is left', async () => (await view.results.getByRole('listitem').count()) === 1);
    await view.content.getByLabel('Kind of result').selectOption('Videos');
    await view.content.getByRole('status').getByText('No results match the filter.').waitFor();
    await view.content.getByRole('searchbox', { name: 'Filter' }).fill('');
    await eventually('the videos are left', async () => (await view.results.getByRole('listitem').count()) === 2);
    await view.content.getByLabel('Kind of result').selectOption('Speech');
    await view.result('The lamps come on.').waitFor();
    assert.equal(await view.results.getByRole('listitem').count(), 1, 'the sample of a voice is no result');
    await view.content.getByLabel('Kind of result').selectOption('All');
    await view.result('At night').waitFor();
  });

  it('accepts an image dropped from outside the editor, and says what it cannot accept', async () => {
    await view.choose('Video');
    await view.drop('outside.png', pngBytes);
    await view.attachments.getByRole('listitem').filter({ hasText: 'outside.png' }).locator('img').waitFor();
    await view.drop('outside.txt', Buffer.from('no picture'));
    await view.alert.getByText('outside.txt is not an image.').waitFor();
    await view.attachments.getByText('outside.png').waitFor();
  });

  it('leaves dropped text to the prompt, and pastes text that is copied together with a picture of it', async () => {
    const prompt = view.field('Prompt');
    for (const type of ['dragover', 'drop'] as const)
      assert.equal(await isTaken(prompt, type, { text: 'a lighthouse' }), false, type);
    assert.equal(await isTaken(prompt, 'paste', { text: 'a lighthouse', file: 'table.png' }), false);
    assert.equal(await isTaken(prompt, 'paste', { file: 'hill.png' }), true);
    await view.attachments.getByText('hill.png').waitFor();
    assert.equal(await view.attachments.getByText('table.png').count(), 0);
  });

  it('moves a file to the trash with the Delete key, after a question', async () => {
    await view.tabTo(view.action('A heron', 'Open'));
    await workbench.page.keyboard.press('Delete');
    const question = workbench.page.getByRole('dialog').filter({ hasText: 'Delete media/images/a-heron.png?' });
    await question.waitFor();
    await workbench.page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
  });

  it('removes a result from the list after a question, and keeps its file', async () => {
    await view.chooseIn(view.action('A heron', 'More Actions'), 'Remove from List');
    const question = await workbench.dialog('Remove a-heron.png from the list?');
    await question.getByRole('button', { name: 'Remove from List' }).click();
    await view.result('A heron').waitFor({ state: 'detached' });
    assert(existsSync(join(workbench.folder, 'media/images/a-heron.png')));
  });

  it('has shown no notification during all of this', async () => {
    assert.equal(await workbench.page.locator('.notifications-toasts .notification-list-item').count(), 0);
  });
});

/** An MP4 file whose index names the sound format; it contains nothing to play. */
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

/** Drags, drops or pastes a text and a picture. @returns whether the view takes them, so that the browser does not */
function isTaken(target: Locator, type: 'dragover' | 'drop' | 'paste', { text = '', file = '' }): Promise<boolean> {
  return target.evaluate(
    (element: unknown, [kind, words, name, content]) => {
      const { DataTransfer, File, DragEvent, ClipboardEvent } = globalThis as unknown as Browser;
      const data = new DataTransfer();
      if (words !== '') data.setData('text/plain', words);
      if (name !== '') data.items.add(new File([Uint8Array.from(content)], name));
      const options = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
      const event = kind === 'paste' ? new ClipboardEvent(kind, options) : new DragEvent(kind, options);
      return !(element as EventTarget).dispatchEvent(event);
    },
    [type, text, file, [...pngBytes]] as const,
  );
}

/** The DOM types are not available here. */
interface Browser {
  readonly DataTransfer: new () => {
    readonly items: { add(file: unknown): void };
    setData(type: string, data: string): void;
  };
  readonly File: new (parts: readonly Uint8Array[], name: string) => unknown;
  readonly DragEvent: new (type: string, options: object) => Event;
  readonly ClipboardEvent: new (type: string, options: object) => Event;
}
