import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes, wavBytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { clickUntil, eventually, succeeds } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

/** What a person does. */
interface Effort {
  clicks: number;
  /** Texts typed. */
  texts: number;
}

// The tasks of a new user's first hour, by the shortest way that is to be seen. Each may take at most as many clicks and
// texts as the best other program that does the same; a key that ends a text, such as Enter, counts as none.
story('the first hour, counted', () => {
  let workbench: Workbench;
  let view: CreateView;
  /** Since the last comparison. */
  let effort: Effort = { clicks: 0, texts: 0 };

  before(async () => {
    workbench = await Workbench.start({
      files: {
        'guide.md': '# Guide\n\n',
        'call.wav': wavBytes,
        'interview.md': '---\nsource: call.wav\n---\n\n**A:** Good morning.\n\n**B:** The boats leave at noon.\n',
        'pier.md': '# Pier\n\n![A pier in the fog](pier.png)\n',
      },
      machineSettings: { 'explorer.autoReveal': false },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
  });

  after(() => workbench?.stop());

  async function click(target: Locator, options?: Parameters<Locator['click']>[0]): Promise<void> {
    effort.clicks++;
    await target.click(options);
  }

  async function type(target: Locator, text: string): Promise<void> {
    effort.texts++;
    await target.fill(text);
  }

  function atMost(clicks: number, texts: number): void {
    assert(effort.clicks <= clicks && effort.texts <= texts, `${effort.clicks} clicks, ${effort.texts} texts`);
    effort = { clicks: 0, texts: 0 };
  }

  const made = (path: string) => eventually(`${path} is saved`, async () => existsSync(join(workbench.folder, path)));

  it('the first picture from nothing: two clicks in place of a login, and the prompt', async () => {
    await workbench.openFile('guide.md');
    await workbench.page.keyboard.press('ControlOrMeta+End');
    await click(workbench.page.locator('.activitybar').getByRole('tab', { name: 'Media' }).first());
    view = await CreateView.at(workbench, 'view');
    await click(view.button('Try the Sandbox'));
    await view.content.getByText('sandbox, free').waitFor();
    await type(view.field('Prompt'), 'A harbour at dawn');
    await view.submit();
    await view.whenMade('media/images/a-harbour-at-dawn.png', 'A harbour at dawn');
    atMost(2, 1);
  });

  it('insert it after looking at it: a click to look, and a click', async () => {
    await click(view.action('A harbour at dawn', 'Open'));
    await workbench.editorTab('a-harbour-at-dawn.png');
    await click(view.action('A harbour at dawn', 'Insert at Cursor'));
    await workbench.page.locator('.view-lines').getByText('![A harbour at dawn]').waitFor();
    await workbench.screenshot('first hour - inserted');
    atMost(2, 0);
  });

  it('edit with a reference: one click and a text', async () => {
    await click(view.action('A harbour at dawn', 'Edit'));
    await view.attachments.getByText('a-harbour-at-dawn.png').waitFor();
    await type(view.field('Prompt'), 'Make it night');
    await view.submit();
    await view.whenMade('media/images/a-harbour-at-dawn-2.png', 'Make it night');
    await workbench.screenshot('first hour - edited');
    atMost(1, 1);
  });

  it('edit what the brush marks: a click for the picture, the dialog and the brush, and a text', async () => {
    await click(view.action('A harbour at dawn', 'Edit'));
    await click(view.attachments.getByRole('button', { name: 'Select Region…' }));
    const dialog = view.content.getByRole('dialog', { name: 'Select Region' });
    await click(dialog.getByText('Brush'));
    const stage = dialog.getByRole('slider');
    await eventually('the picture is there', async () => ((await stage.boundingBox())?.width ?? 0) > 100);
    const box = await stage.boundingBox();
    assert(box);
    const { mouse, keyboard } = workbench.page;
    await mouse.move(box.x + 60, box.y + 60);
    await mouse.down();
    await mouse.move(box.x + 120, box.y + 90, { steps: 8 });
    await mouse.up();
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await type(view.field('Prompt'), 'A red buoy');
    await view.submit();
    await view.whenMade('media/images/a-harbour-at-dawn-3.png', 'A red buoy');
    await workbench.screenshot('first hour - brushed');
    atMost(3, 1);
  });

  it('a favicon set with its HTML: a menu, an entry and a button, where others take five clicks', async () => {
    await click(view.result('A harbour at dawn'), { button: 'right', position: { x: 40, y: 60 } });
    await click(view.content.getByRole('menuitem', { name: 'Resize, Crop or Convert…' }));
    const editor = await workbench.webview('#image-editor .crop');
    await click(editor.getByRole('button', { name: /Favicon/ }));
    await made('media/images/favicon.html');
    const lines = readFileSync(join(workbench.folder, 'media/images/favicon.html'), 'utf8');
    assert.match(lines, /rel="icon"/);
    await workbench.screenshot('first hour - favicons');
    atMost(5, 0);
  });

  it('a video and a remix of it: a click and a text each', async () => {
    await click(view.tab('Video'));
    await type(view.field('Prompt'), 'A boat leaves');
    await view.submit();
    await view.action('A boat leaves', 'Remix').waitFor({ state: 'attached' });
    atMost(1, 1);
    await click(view.action('A boat leaves', 'Remix'));
    await view.attachments.getByText('A boat leaves').waitFor();
    await eventually('its model is fixed', () => view.field('Model').isDisabled());
    await type(view.field('Prompt'), 'In the rain');
    await view.submit();
    await view.action('In the rain', 'Remix').waitFor({ state: 'attached' });
    atMost(1, 1);
  });

  it('find an old result: one click and a word', async () => {
    const filter = view.content.getByLabel('Filter', { exact: true });
    await click(view.content.getByRole('tab', { name: 'Image', exact: true }));
    await type(filter, 'dawn');
    await view.result('A harbour at dawn').waitFor();
    atMost(1, 1);
    await filter.fill('');
  });

  it('compare two in the Library: two clicks', async () => {
    const library = await CreateView.openLibrary(workbench);
    await click(library.action('A harbour at dawn', 'Show Details'));
    await click(library.action('Make it night', 'Show Details'), { modifiers: ['Alt'] });
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    await dialog.getByRole('slider').waitFor();
    await workbench.screenshot('first hour - compared');
    atMost(2, 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await workbench.runCommand('View: Close All Editors');
  });

  it('transcribe a recording: one drop, and a key', async () => {
    view = await CreateView.open(workbench);
    await view.tab('Transcript').click();
    effort.clicks++;
    await view.drop('call.wav', wavBytes);
    await view.attachments.getByText('call.wav').waitFor();
    await view.submit();
    await made('media/transcripts/call.md');
    atMost(1, 0);
  });

  it('name two speakers: a click, and a text each', async () => {
    await workbench.openFile('interview.md');
    const lens = workbench.page.locator('.codelens-decoration').getByText('Speakers: A, B · Rename');
    effort.clicks++;
    await clickUntil(lens, workbench.question('Who says “Good morning.”?'));
    for (const [words, name] of [
      ['Good morning.', 'Ann'],
      ['The boats leave at noon.', 'Bob'],
    ] as const) {
      effort.texts++;
      await workbench.answerInput(`Who says “${words}”?`, name);
    }
    await workbench.page.locator('.view-line').getByText('Ann').first().waitFor();
    await workbench.page.locator('.codelens-decoration').getByText('Speakers: Ann, Bob · Rename').waitFor();
    await workbench.screenshot('first hour - speakers');
    atMost(2, 2);
  });

  it('make a missing picture: a click and two keys', async () => {
    await workbench.openFile('pier.md');
    const reference = workbench.page.locator('.monaco-editor .view-line').filter({ hasText: 'pier.png' }).first();
    const row = workbench.page.locator('.action-widget .monaco-list-row.action').first();
    // The mark comes later than the document, and its change closes the menu again.
    await eventually('the quick fixes are open', async () => {
      await workbench.page.keyboard.press('Escape');
      await reference.click();
      await workbench.page.keyboard.press('ControlOrMeta+.');
      return succeeds(row.getByText('Generate pier.png from "A pier in the fog"').waitFor({ timeout: 10_000 }));
    });
    effort.clicks++;
    await workbench.screenshot('first hour - missing picture');
    await workbench.page.keyboard.press('Enter');
    await made('pier.png');
    atMost(1, 0);
  });

  it('narrate a document, and again after a change: two clicks, and one', async () => {
    await workbench.runCommand('View: Show Explorer');
    const file = (name: string) => workbench.page.locator('.explorer-folders-view').getByRole('treeitem', { name });
    // VS Code uses a row for another file when it adds one.
    await file('pier.png').waitFor();
    await click(file('guide.md'), { button: 'right' });
    effort.clicks++;
    await workbench.chooseInMenu('Narrate Document');
    await workbench.notification('Saved guide.mp3.');
    atMost(2, 0);
    await workbench.clearNotifications();
    await workbench.openFile('guide.md');
    await workbench.page.keyboard.press('ControlOrMeta+End');
    await workbench.page.keyboard.type('\n\nBoats leave before dawn.\n');
    const changed = workbench.page.locator('.codelens-decoration').getByText(/out of date · Narrate 1/);
    await changed.waitFor();
    await click(changed);
    await workbench.notification('Saved guide.mp3. One paragraph was spoken.');
    await workbench.page.locator('.codelens-decoration').getByText('Narration: up to date').waitFor();
    await workbench.screenshot('first hour - narrated');
    atMost(1, 0);
  });

  it('mend a wrong name of a model: a click, and the right name; nothing else is asked again', async () => {
    await using service = await startHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        const isKnown = body.includes('"painter"');
        if (isKnown) response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
        else
          response
            .writeHead(404)
            .end('{"error":{"message":"The model paintre does not exist.","code":"model_not_found"}}');
      });
    });
    workbench.changeSettings({ 'unifiedMedia.service': 'remote', 'unifiedMedia.imageBaseUrl': service.origin });
    await setApiKey(workbench);
    view = await CreateView.open(workbench);
    await view.choose('Image');
    await view.field('Model').fill('paintre');
    await view.field('Prompt').fill('A lantern');
    await view.submit();
    await view.content.getByText('The model paintre does not exist.').first().waitFor();
    await workbench.screenshot('first hour - wrong model');
    await click(view.content.getByRole('button', { name: 'Choose Another Model' }));
    await view.whenFocused(view.field('Model'));
    assert.equal(await view.field('Prompt').inputValue(), 'A lantern');
    await type(view.field('Model'), 'painter');
    await view.submit();
    await view.whenMade('media/images/a-lantern.png', 'A lantern');
    atMost(1, 1);
    const suggestion = view.content.getByRole('option', { name: 'painter' });
    await view.field('Model').press('ArrowDown');
    await suggestion.getByTitle('Forget This Name (Shift+Delete)').waitFor();
    await workbench.screenshot('first hour - model to forget');
    await workbench.page.keyboard.press('Shift+Delete');
    await suggestion.waitFor({ state: 'detached' });
  });
});
