import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pngBytes, wavBytes } from '../support/mediaBytes.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

/** An element with sound; the DOM types are not available here. */
interface Media {
  readonly duration: number;
}

story('the menus of files and of selected text', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: {
        'monday.wav': wavBytes,
        'tuesday.wav': wavBytes,
        'first.png': pngBytes,
        'second.png': pngBytes,
        'notes.md': 'The lamps along the quay come on one by one.\n',
      },
      // Revealing a file would add it to the selection.
      machineSettings: { 'explorer.autoReveal': false },
    });
    await workbench.runCommand('Media: Use the Sandbox');
    await workbench.notification('The sandbox is on');
    await workbench.clearNotifications();
  });

  after(() => workbench?.stop());

  afterEach(() => workbench.runCommand('View: Close All Editors'));

  const saved = (kind: string) => readdirSync(join(workbench.folder, 'media', kind)).sort();

  it('transcribes two at once, opens the first, and leaves out and names what is no recording', async () => {
    await workbench.runOnFiles(['notes.md', 'monday.wav', 'tuesday.wav'], 'Transcribe Audio…');
    await workbench.notification('Left out, because it is not a recording: notes.md');
    await workbench.editorTab('monday.md');
    await workbench.notification('Saved monday.md, tuesday.md.');
    await workbench.screenshot('menu - two transcripts');
    assert.equal(await workbench.tab('tuesday.md').count(), 0);
    assert.deepEqual(saved('transcripts'), ['monday.md', 'monday.vtt', 'tuesday.md', 'tuesday.vtt']);
    await workbench.clearNotifications();
  });

  it('asks before it transcribes the same recording again, and offers the transcript', async () => {
    await workbench.runOnFiles(['monday.wav'], 'Transcribe Audio…');
    const question = await workbench.dialog('Already transcribed: monday.wav');
    await workbench.screenshot('menu - already transcribed');
    await question.getByRole('button', { name: 'Open', exact: true }).click();
    await workbench.editorTab('monday.md');
    assert.deepEqual(saved('transcripts'), ['monday.md', 'monday.vtt', 'tuesday.md', 'tuesday.vtt']);
  });

  it('offers only the commands that accept several images', async () => {
    const entries = await workbench.openFileMenu(['first.png', 'second.png']);
    const own = entries
      .filter((entry) => /Edit Image|Video from Image|Transcribe/.test(entry))
      .map((entry) => entry.trim());
    assert.deepEqual(own, ['Edit Image…']);
    await workbench.page.keyboard.press('Escape');
  });

  it('offers nothing for other files', async () => {
    const entries = await workbench.openFileMenu(['notes.md']);
    assert(!entries.some((entry) => /Image…|Audio/.test(entry)), entries.join());
    await workbench.page.keyboard.press('Escape');
  });

  it('narrates selected text', async () => {
    await workbench.openFile('notes.md');
    await workbench.runOnSelection('Narrate Selection');
    await workbench.editorTab('the-lamps-along-the-quay-come-on-one-by-one.mp3');
    const audio = (await workbench.webview('audio')).locator('audio');
    await eventually("VS Code's preview can play it", () => audio.evaluate((one: Media) => one.duration > 1));
    await workbench.screenshot('menu - narration');
  });
});
