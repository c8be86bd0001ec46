import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { quartersPng } from '../support/patterns.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { photograph } from './mediaViews.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const recording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));
const segments = [
  { start: 0, end: 2, text: 'Good morning.', speaker: 'A' },
  { start: 2, end: 5, text: 'The boats leave at noon.', speaker: 'B' },
];
const isForSound = ({ url = '' }: { readonly url?: string }) => url.includes('/audio/');
const transcript = '**A:** Good morning.\n\n**B:** The boats leave at noon.';

story('files of the workspace that are sent, by clicks and by keyboard', () => {
  let workbench: Workbench;
  let service: HttpServer;
  /** The request for a transcript that was not answered yet. */
  let held: ServerResponse | undefined;
  let paintsNothing = true;

  before(async () => {
    const picture = Buffer.from(quartersPng(64, 64)).toString('base64');
    service = await startHttpServer((request, response) => {
      request.resume().on('end', () => {
        if (isForSound(request)) held = response;
        else if (paintsNothing) response.writeHead(500).end('{"error":{"message":"out of order"}}');
        else response.end(JSON.stringify({ data: [{ b64_json: picture }] }));
      });
    });
    workbench = await Workbench.start({
      files: {
        'notes.md': '# Stand-up\n\n',
        'call.m4a': recording,
        'hero.png': quartersPng(600, 400),
        'second.png': pngBytes,
      },
      machineSettings: {
        // Revealing a file would add it to the selection.
        'explorer.autoReveal': false,
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.audioBaseUrl': service.origin,
        'unifiedMedia.models': { editImage: ['painter'], transcribe: ['writer'], translate: ['writer'] },
        'unifiedMedia.openAfterSave': false,
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
  const paid = () => service.requests.filter(isForSound).length;
  const paidPictures = () => service.requests.length - paid();
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

  it('a recording is pasted as VS Code pastes files at no cost; the paste menu offers the transcript', async () => {
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

  it('a recording is replaced by its transcript with one request', async () => {
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await workbench.screenshot('recordings - token');
    await answer();
    await lines().getByText('The boats leave at noon.').waitFor();
    await workbench.screenshot('recordings - transcript');
    await eventually('it is all there is', async () => (await textOf()) === `# Stand-up\n\n${transcript}`);
    assert.equal(paid(), 1);
  });

  it('a transcript is undone step by step at no cost', async () => {
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

  it('a recording is copied into the workspace when it is dropped from outside and transcribed', async () => {
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

  it('several images offer only the commands that accept several, and other files none', async () => {
    const entries = await workbench.openFileMenu(['hero.png', 'second.png']);
    const own = entries.filter((entry) => /Edit Image|Video from Image|Transcribe/.test(entry));
    assert.deepEqual(
      own.map((entry) => entry.trim()),
      ['Edit Image…'],
    );
    await workbench.page.keyboard.press('Escape');
    const ofText = await workbench.openFileMenu(['notes.md']);
    assert(!ofText.some((entry) => /Image…|Audio/.test(entry)), ofText.join());
    await workbench.page.keyboard.press('Escape');
  });

  let view: CreateView;
  const dialog = () => view.content.getByRole('dialog', { name: 'Select Region' });
  const stage = () => dialog().getByRole('slider');
  const marked = async () => (await stage().getAttribute('aria-valuetext')) ?? '';
  /** Returns the places of the picture by their shares of its sides. */
  async function openRegion(): Promise<(x: number, y: number) => readonly [number, number]> {
    await view.attachments.getByRole('button', { name: 'Select Region…' }).click();
    await eventually('the picture is there', async () => ((await stage().boundingBox())?.width ?? 0) > 100);
    const box = await stage().boundingBox();
    assert(box);
    return (x, y) => [box.x + box.width * x, box.y + box.height * y];
  }
  async function draw(from: readonly [number, number], to = from): Promise<void> {
    const { mouse } = workbench.page;
    await mouse.move(...from);
    await mouse.down();
    await mouse.move(...to, { steps: 5 });
    await mouse.up();
  }
  async function closeBy(button: string): Promise<void> {
    await dialog().getByRole('button', { name: button }).click();
    await dialog().waitFor({ state: 'detached' });
  }

  it('a region of a picture is marked with the brush, the keyboard and the mouse, and kept', async () => {
    const { keyboard } = workbench.page;
    await workbench.runOnFiles(['hero.png'], 'Edit Image…');
    view = await CreateView.open(workbench);
    const at = await openRegion();
    await dialog().getByRole('button', { name: 'Use Region' }).click();
    await dialog().getByRole('alert').getByText('Mark a region first.').waitFor();
    await stage().focus();
    await keyboard.press('ArrowRight');
    assert.equal(await marked(), 'left 150, top 100, 300 × 200 pixels');
    await dialog().getByRole('alert').waitFor({ state: 'detached' });
    await keyboard.press('Shift+ArrowRight');
    const wider = /^left 150, top 100, 31\d × 200 pixels$/;
    await eventually('it is wider', async () => wider.test(await marked()));
    await dialog().getByText('Brush').click();
    await draw(at(0.2, 0.3), at(0.5, 0.5));
    await workbench.screenshot('region - brush');
    const drawn = await marked();
    assert.doesNotMatch(drawn, wider);
    await draw(at(0.2, 0.8));
    assert.notEqual(await marked(), drawn);
    await dialog().getByRole('button', { name: 'Undo' }).click();
    await eventually('the last stroke is gone', async () => (await marked()) === drawn);
    await stage().focus();
    await keyboard.press('ControlOrMeta+z');
    await eventually('the first stroke is gone, and the rectangle is back', async () => wider.test(await marked()));
    await closeBy('Edit the Whole Image');
    const again = await openRegion();
    await draw(again(0.25, 0.25), again(0.5, 0.5));
    await photograph(workbench, 'region - rectangle');
    await closeBy('Use Region');
    await view.content.getByText('only the selected region').waitFor();
    await workbench.screenshot('region - selected');
    await openRegion();
    const edges = (await marked()).match(/\d+/g) ?? [];
    assert(
      [150, 100, 150, 100].every((edge, index) => Math.abs(Number(edges[index]) - edge) < 8),
      edges.join(),
    );
    await closeBy('Use Region');
  });

  it('a region is sent when its dialog is closed', async () => {
    await view.field('Prompt').fill('a red buoy');
    await openRegion();
    await stage().focus();
    // Sends nothing: the whole picture would be edited.
    await workbench.page.keyboard.press('ControlOrMeta+Enter');
    await closeBy('Use Region');
    await view.submit();
    await view.content.getByText('out of order').first().waitFor();
    await workbench.screenshot('region - failed');
    assert.equal(paidPictures(), 1);
  });

  it('jobs that were interrupted or failed run again after a reload, for the same token and the same region', async () => {
    const { page } = workbench;
    await workbench.runCommand('View: Show Explorer');
    await workbench.openFile('notes.md');
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Enter');
    const asked = paid();
    const before = (await textOf()).split('leave').length;
    await paste();
    await choose('Insert Transcript');
    await lines().getByText('transcribing call.m4a').waitFor();
    await eventually('the service is asked', async () => held !== undefined);
    await eventually('the token is saved', async () => (await textOf()).includes('transcribing call.m4a'));
    await workbench.whenKept('composer.unfinished.view');
    await workbench.reload();
    // VS Code in the browser keeps keys in the memory of the window.
    await setApiKey(workbench);
    held = undefined;
    // The outcome of the request is unknown. Running it again replaces the same token.
    const notification = await workbench.notification('The editor closed before the whole answer was received');
    await notification.getByRole('button', { name: /Run Again/ }).click();
    await answer();
    await workbench.openFile('notes.md');
    await eventually('the transcript takes the place of the token', async () => {
      const text = await textOf();
      return !text.includes('transcribing') && text.split('leave').length === before + 1;
    });
    assert.equal(paid(), asked + 2);

    paintsNothing = false;
    await workbench.runCommand('Media: Run Again…');
    await workbench.pick('Choose a job', 'Edit Image “a red buoy”');
    const question = await workbench.dialog('Run this job again?');
    await question.getByRole('button', { name: 'Run Again' }).click();
    await pictureIs('hero-2.png', 600, 400);
    view = await CreateView.open(workbench);
    await view.content.getByText('edit of hero.png').waitFor();
    assert.equal(paidPictures(), 2);
  });

  async function pictureIs(path: string, width: number, height: number): Promise<void> {
    const file = join(workbench.folder, path);
    await eventually(`${path} is saved`, async () => existsSync(file));
    const picture = decode(readFileSync(file));
    assert.deepEqual([picture.width, picture.height], [width, height]);
  }

  it('a picture is cropped to its shape when its job is run again', async () => {
    paintsNothing = true;
    await view.button('More Options').click();
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('16:9').click();
    await view.content.getByText('cropped to 16:9').waitFor();
    await photograph(workbench, 'region - shapes');
    await view.field('Model').fill('painter');
    await view.field('Prompt').fill('A fox');
    await view.submit();
    await view.content.getByText('out of order').first().waitFor();
    paintsNothing = false;
    await view.content.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).click();
    await pictureIs('media/images/a-fox-2.png', 64, 36);
    await view.content.getByText('version of a-fox.png').waitFor();
    assert.equal(paidPictures(), 4);
  });
});
