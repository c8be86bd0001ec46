import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, Workbench } from './workbench.ts';

const recording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));

describe('a recording in a document, by clicks and by keyboard', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: { 'notes.md': '# Stand-up\n\n', 'call.m4a': recording },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
  });

  after(() => workbench.stop());

  const text = () => workbench.page.locator('.view-lines').first().innerText();

  it('is pasted as a link, with the transcript among the choices', async () => {
    const { page } = workbench;
    // The extension starts with its first command, or with a library in the folder.
    await workbench.runCommand('Media: Show Log');
    await page.getByRole('treeitem', { name: 'call.m4a' }).click();
    await page.keyboard.press('ControlOrMeta+c');
    await workbench.openFile('notes.md');
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ControlOrMeta+v');
    await page.locator('.view-lines').getByText('[call.m4a](call.m4a)').waitFor();
    const choices = page.locator('.post-edit-widget');
    await choices.waitFor();
    await workbench.screenshot('recordings - pasted as a link');
    await choices.click();
    await page.getByText('Insert Player and Transcript').waitFor();
    await workbench.screenshot('recordings - paste choices');
    await page.getByText('Insert Transcript', { exact: true }).click();
    await eventually('the transcript is in the document', async () => /sandbox/i.test(await text()));
    assert.doesNotMatch(await text(), /\[call\.m4a\]|transcribing/);
    await workbench.screenshot('recordings - transcript');
  });

  it('is undone step by step', async () => {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+z');
    await page.locator('.view-lines').getByText('transcribing call.m4a').waitFor();
  });
});
