import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { clickUntil, eventually } from '../eventually.ts';
import { setApiKey } from '../setApiKey.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

const guide = `---
title: The harbour
---

# The harbour

The **lamps** along the [quay](https://example.org) come on one by one.

Boats leave before dawn.
`;

story('narrating a document', () => {
  let sandbox: Sandbox;
  let workbench: Workbench;

  before(async () => {
    sandbox = await startSandbox();
    workbench = await Workbench.start({
      files: { 'guide.md': guide },
      machineSettings: {
        'explorer.autoReveal': false,
        'unifiedMedia.audioBaseUrl': sandbox.audioBaseUrl,
        'unifiedMedia.models': { speak: ['sandbox-1'] },
      },
    });
    await setApiKey(workbench, sandbox.key);
    await workbench.clearNotifications();
  });

  after(async () => {
    await workbench?.stop();
    await sandbox?.stop();
  });

  const lens = (text: string) => workbench.page.locator('.codelens-decoration').getByText(text);
  const line = (text: string) => workbench.page.locator('.monaco-editor .view-line').filter({ hasText: text });

  it('starts from the menu of a file and ends with a player below the title', async () => {
    await workbench.openFile('guide.md');
    await workbench.openFileMenu(['guide.md']);
    await workbench.screenshot('narration - menu');
    await workbench.chooseInMenu('Narrate Document');
    const told = await workbench.notification('Saved guide.mp3. 2 paragraphs were spoken.');
    await lens('Narration: up to date · Play').waitFor();
    await workbench.screenshot('narration - saved');
    await told.getByRole('button', { name: 'Insert Player' }).click();
    await line('<audio controls src="media/speech/guide.mp3" title="The harbour"></audio>').waitFor();
    await line('[Transcript](media/speech/guide.vtt)').waitFor();
    // The player is not spoken, and it is offered only once.
    await eventually('no player is offered any more', async () => (await lens('Insert Player').count()) === 0);
    await lens('Narration: up to date · Play').waitFor();
    await workbench.setTheme('Light Modern');
    await workbench.screenshot('narration - player, light');
    assert.deepEqual(readdirSync(join(workbench.folder, 'media/speech')).sort(), ['guide.mp3', 'guide.vtt']);
  });

  it('shows what has changed after a pause in typing, and narrates it with a click', async () => {
    await workbench.clearNotifications();
    await line('Boats leave before dawn.').click();
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.type(' Gulls follow.');
    const changed = lens('Narration: 1 of 2 paragraphs out of date · Narrate 1 (38 characters)');
    await changed.waitFor();
    await workbench.screenshot('narration - changed, light');
    await workbench.setTheme('Dark Modern');
    await workbench.screenshot('narration - changed, dark');
    // A second click would find the narration at work or up to date, and would send nothing.
    await clickUntil(changed, workbench.toast('Saved guide.mp3. One paragraph was spoken.'));
    await lens('Narration: up to date · Play').waitFor();
    await workbench.screenshot('narration - up to date, dark');
    assert.deepEqual(readdirSync(join(workbench.folder, 'media/speech')).sort(), ['guide.mp3', 'guide.vtt']);
    // Two paragraphs, and one of them again after it changed.
    assert.equal(sandbox.counts.speak, 3);
  });
});
