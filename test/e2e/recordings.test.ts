import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { eventually, Workbench } from './workbench.ts';

const recording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));
const segments = [
  { start: 0, end: 2, text: 'Good morning.', speaker: 'A' },
  { start: 2, end: 5, text: 'The boats leave at noon.', speaker: 'B' },
];
const transcript = '**A:** Good morning.\n\n**B:** The boats leave at noon.';

describe('a recording in a document, by clicks and by keyboard', () => {
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
    await setKey();
  });

  after(async () => {
    await workbench?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  async function setKey(): Promise<void> {
    await workbench.runCommand('Media: Set API Key…');
    await workbench.answerInput('Paste the key', 'key-1');
    await workbench.notification('The API key is set.');
  }

  const lines = () => workbench.page.locator('.view-lines');
  const paid = () => service.requests.length;
  /** Answers the request that waits. */
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
    // Else the keys may still go to the Explorer, which pastes a copy of the file.
    await lines().first().click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ControlOrMeta+v');
    // What VS Code inserts unasked: a link, or the path alone.
    await workbench.page.locator('.post-edit-widget').waitFor();
    await lines().getByText('call.m4a').first().waitFor();
  }
  async function choose(title: string): Promise<void> {
    const { page } = workbench;
    await page.locator('.post-edit-widget').click();
    await page.getByText(title, { exact: true }).first().click();
  }

  it('is pasted as VS Code pastes files, which costs nothing; the choices offer the transcript', async () => {
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

  it('becomes its transcript when that is chosen, by one request', async () => {
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await workbench.screenshot('recordings - token');
    await answer();
    await lines().getByText('The boats leave at noon.').waitFor();
    await workbench.screenshot('recordings - transcript');
    await eventually('it is all there is', async () => (await textOf()) === `# Stand-up\n\n${transcript}`);
    assert.equal(paid(), 1);
  });

  it('is undone step by step, which costs nothing', async () => {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+z');
    await lines().getByText('transcribing call.m4a').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await lines().getByText('transcribing call.m4a').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await eventually('the transcript is back', async () => (await textOf()).includes('The boats leave'));
    assert.equal(paid(), 1);
  });

  it('has speakers that get names', async () => {
    const { page } = workbench;
    await workbench.runCommand('Media: Rename Speakers…');
    await workbench.pick('Whose name shall be changed?', 'A');
    await workbench.answerInput('The name of A in this transcript', 'Ada');
    await lines().getByText('Ada:').waitFor();
    await workbench.screenshot('recordings - speakers');
    await page.keyboard.press('ControlOrMeta+z');
  });

  it('is copied into the workspace when it comes from outside and its transcript is chosen', async () => {
    const { page } = workbench;
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Enter');
    // As text: these tests know nothing of the browser's types.
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

  it('is found after a reload: the answer that was on its way takes the place of the token, or the person is told', async () => {
    await workbench.page.keyboard.press('ControlOrMeta+End');
    await workbench.page.keyboard.press('Enter');
    const asked = paid();
    await textOf();
    const before = (await lines().innerText()).split('leave').length;
    await paste();
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await eventually('the service is asked', async () => held !== undefined);
    await textOf();
    await workbench.reload();
    // This VS Code keeps secrets in the window's memory.
    await setKey();
    held = undefined;
    // Nobody knows what became of the request: the person runs it again, and the token is still meant.
    const told = await workbench.notification('The editor closed before the service answered');
    await told.getByRole('button', { name: /Run Again/ }).click();
    await answer();
    await eventually('the transcript takes the place of the token', async () => {
      const text = await textOf();
      return !text.includes('transcribing') && text.split('leave').length === before + 1;
    });
    assert.equal(paid(), asked + 2);
  });
});
