import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const recording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));
const segments = [
  { start: 0, end: 2, text: 'Good morning.', speaker: 'A' },
  { start: 2, end: 5, text: 'The boats leave at noon.', speaker: 'B' },
];
const transcript = '**A:** Good morning.\n\n**B:** The boats leave at noon.';

story('a recording in a document, by clicks and by keyboard', () => {
  let workbench: Workbench;
  let service: HttpServer;
  let held: ServerResponse | undefined;

  before(async () => {
    service = await startHttpServer((request, response) => {
      request.resume().on('end', () => {
        held = response;
      });
    });
    workbench = await Workbench.start({
      files: { 'notes.md': '# Stand-up\n\n', 'call.m4a': recording },
      machineSettings: {
        'unifiedMedia.audioBaseUrl': service.origin,
        'unifiedMedia.models': { transcribe: ['writer'], translate: ['writer'] },
        'files.autoSave': 'off',
      },
    });
    await setApiKey(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  const lines = () => workbench.page.locator('.view-lines');
  const paid = () => service.requests.length;
  /** Responds to the pending request. */
  async function answer(): Promise<void> {
    await eventually('the service is asked', async () => held !== undefined);
    held?.end(JSON.stringify({ text: segments.map(({ text }) => text).join(' '), segments }));
    held = undefined;
  }
  async function textOf(): Promise<string> {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+s');
    return readFileSync(join(workbench.folder, 'notes.md'), 'utf8');
  }
  async function paste(): Promise<void> {
    const { page } = workbench;
    await page.getByRole('treeitem', { name: 'call.m4a' }).click();
    await workbench.editorTab('call.m4a');
    await page.keyboard.press('ControlOrMeta+c');
    await workbench.openFile('notes.md');
    // Otherwise the Explorer may get the keys and paste a copy of the file.
    await lines().first().click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ControlOrMeta+v');
    // VS Code inserts a link or the path by default.
    await workbench.page.locator('.post-edit-widget').waitFor();
    await lines().getByText('call.m4a').first().waitFor();
  }
  async function choose(title: string): Promise<void> {
    const { page } = workbench;
    await page.locator('.post-edit-widget').click();
    await page.getByText(title, { exact: true }).first().click();
  }

  it('is pasted as VS Code pastes files at no cost; the paste menu offers the transcript', async () => {
    await paste();
    assert.equal(await lines().getByText('transcribing').count(), 0);
    await workbench.screenshot('recordings - pasted');
    await workbench.page.locator('.post-edit-widget').click();
    await workbench.page.getByText('Insert Player and Transcript').waitFor();
    await workbench.page.getByText('Insert English Translation').waitFor();
    await workbench.screenshot('recordings - paste choices');
    await workbench.page.keyboard.press('Escape');
    assert.equal(paid(), 0);
  });

  it('is replaced by its transcript with one request', async () => {
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await workbench.screenshot('recordings - token');
    await answer();
    await lines().getByText('The boats leave at noon.').waitFor();
    await workbench.screenshot('recordings - transcript');
    await eventually('it is all there is', async () => (await textOf()) === `# Stand-up\n\n${transcript}`);
    assert.equal(paid(), 1);
  });

  it('is undone step by step at no cost', async () => {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+z');
    await lines().getByText('transcribing call.m4a').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await lines().getByText('transcribing call.m4a').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await lines().getByText('transcribing call.m4a').waitFor();
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await eventually('the transcript is back', async () => (await textOf()).includes('The boats leave'));
    assert.equal(paid(), 1);
  });

  it('is copied into the workspace when it is dropped from outside and transcribed', async () => {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Enter');
    // A string, because the DOM types are not available here.
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = new Uint8Array([${[...recording].join()}]);
      transfer.items.add(new File([bytes], 'dropped.m4a', { type: 'audio/mp4' }));
      return transfer;
    })()`);
    const place = await lines().locator('.view-line').last().boundingBox();
    assert(place);
    const at = { clientX: place.x + 2, clientY: place.y + 8, shiftKey: true, dataTransfer: data };
    for (const type of ['dragenter', 'dragover', 'drop']) await lines().dispatchEvent(type, at);
    await page.locator('.post-edit-widget').waitFor();
    const before = paid();
    await choose('Insert Transcript');
    await answer();
    await eventually('the transcript is in the document', async () => {
      return (await textOf()).split('The boats leave').length === 3;
    });
    assert.equal(paid(), before + 1);
    const copies = readdirSync(workbench.folder).filter((name) => name.startsWith('dropped'));
    assert.deepEqual(readFileSync(join(workbench.folder, copies.at(-1) ?? '')), recording);
  });

  it('replaces its token when the interrupted job is run again after a reload', async () => {
    await workbench.page.keyboard.press('ControlOrMeta+End');
    await workbench.page.keyboard.press('Enter');
    const asked = paid();
    await textOf();
    const before = (await lines().innerText()).split('leave').length;
    await paste();
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await eventually('the service is asked', async () => held !== undefined);
    await eventually('the token is saved', async () => (await textOf()).includes('transcribing call.m4a'));
    await workbench.reload();
    // VS Code in the browser keeps secrets in the memory of the window.
    await setApiKey(workbench);
    held = undefined;
    // The outcome of the request is unknown. Running it again replaces the same token.
    const notification = await workbench.notification('The editor closed before the whole answer was received');
    await notification.getByRole('button', { name: /Run Again/ }).click();
    await answer();
    await eventually('the transcript takes the place of the token', async () => {
      const text = await textOf();
      return !text.includes('transcribing') && text.split('leave').length === before + 1;
    });
    assert.equal(paid(), asked + 2);
  });
});
