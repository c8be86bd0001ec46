import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('the first image, by clicks and typed text', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({ files: { 'README.md': '# Fox\n' } });
  });

  after(() => workbench.stop());

  it('without a service says what to do, in two buttons, before anything is typed', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const error = await workbench.notification('No image host is set');
    await error.getByRole('button', { name: 'Connect a Service…' }).waitFor();
    await workbench.screenshot('first image - no service');
    await error.getByRole('button', { name: 'Try the Sandbox' }).click();
    await workbench.notification('The sandbox is on');
  });

  it('is made by the sandbox, saved and opened', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const model = await workbench.quickInput('Choose a model, or type its name');
    await workbench.screenshot('first image - model');
    await model.getByRole('option', { name: 'sandbox-1' }).click();
    await workbench.quickInput('What the image shows');
    await workbench.screenshot('first image - prompt');
    await workbench.answerInput('What the image shows', 'A fox in the snow at sunrise');
    await workbench.answerInput('Count', '1');
    const tab = await workbench.editorTab('a-fox-in-the-snow-at-sunrise.png');
    const picture = (await workbench.webview('img')).locator('img');
    await picture.waitFor();
    assert.equal(await tab.getAttribute('aria-selected'), 'true');
    const { width } = decode(readFileSync(join(workbench.folder, 'media/images/a-fox-in-the-snow-at-sunrise.png')));
    assert.equal(width, 1024);
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('first image - saved');
  });

  it('starts from the last values, goes back, and checks while typing', async () => {
    await workbench.runCommand('Media: Generate Image…');
    const model = await workbench.quickInput('Choose a model, or type its name');
    await model.getByRole('option', { name: 'sandbox-1' }).click();
    const prompt = await workbench.quickInput('What the image shows');
    assert.equal(await prompt.locator('input[type="text"]').last().inputValue(), 'A fox in the snow at sunrise');
    await prompt.getByRole('button', { name: 'Back' }).click();
    await workbench.pick('Choose a model, or type its name', 'sandbox-1');
    await workbench.answerInput('What the image shows', 'A fox in the snow at sunrise');
    await workbench.answerInput('Count', '0');
    await workbench.quickInput('Count (n) must be a whole number of 1 or more, not 0.');
    await workbench.screenshot('first image - wrong count');
    await workbench.answerInput('Count', '2');
    await workbench.editorTab('a-fox-in-the-snow-at-sunrise-2.png');
    await workbench.editorTab('a-fox-in-the-snow-at-sunrise-3.png');
  });

  it('asks in every theme', async () => {
    for (const theme of ['Dark 2026', 'Default High Contrast', 'Default High Contrast Light'] as const) {
      await workbench.setTheme(theme);
      await workbench.runCommand('Media: Generate Image…');
      await workbench.pick('Choose a model, or type its name', 'sandbox-1');
      await workbench.answerInput('What the image shows', 'A lighthouse');
      await workbench.answerInput('Count', '0');
      await workbench.quickInput('Count (n) must be');
      await workbench.screenshot(`first image - wrong count, ${theme}`);
      await workbench.page.keyboard.press('Escape');
    }
  });

  it('is dismissed with Escape, without a trace', async () => {
    await workbench.runCommand('Media: Generate Image…');
    await workbench.quickInput('Choose a model, or type its name');
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('Media: Use the Service');
    await workbench.notification('its address is not set yet');
  });
});

describe('the API key, typed', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.imageBaseUrl': 'https://images.example.com' },
    });
  });

  after(() => workbench.stop());

  it('is hidden while it is typed and checked before it is kept', async () => {
    await workbench.runCommand('Media: Set API Key…');
    await workbench.quickInput('sent only to https://images.example.com');
    await workbench.answerInput('Paste the key', 'two words');
    await workbench.quickInput('may contain only ASCII characters');
    assert.equal(await workbench.page.locator('.quick-input-box input[type="password"]').inputValue(), 'two words');
    await workbench.screenshot('api key');
    await workbench.answerInput('Paste the key', 'canary-key-1234');
    await workbench.notification('The API key is set.');
  });
});
