import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { quartersPng } from '../support/patterns.ts';
import { readMp4 } from '../support/readMp4.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { photograph } from './mediaViews.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('shape and region of a picture', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    view = await CreateView.open(workbench);
  });

  after(() => workbench?.stop());

  const stageOfRegion = async () => {
    await view.attachments.getByRole('button', { name: 'Select Region…' }).click();
    return view.content.getByRole('dialog', { name: 'Select Region' }).getByRole('slider');
  };
  const pathOf = (name: string) => join(workbench.folder, 'media/images', name);
  const picture = async (name: string) => {
    await eventually(`${name} is saved`, async () => existsSync(pathOf(name)));
    return decode(readFileSync(pathOf(name)));
  };
  const records = () =>
    readFileSync(join(workbench.folder, '.unified-media/library.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

  it('crops a picture after saving, and keeps the original', async () => {
    await view.button('More Options').click();
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('16:9').click();
    await view.content.getByText('cropped to 16:9').waitFor();
    await photograph(workbench, 'region - shapes');
    await view.resize(300);
    await view.make('Image', 'A fox');
    const original = await picture('a-fox.png');
    const cropped = await picture('a-fox-2.png');
    assert.deepEqual([original.width, original.height], [1024, 1024]);
    assert.deepEqual([cropped.width, cropped.height], [1024, 576]);
    await view.content.getByText('version of a-fox.png').waitFor();
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('1:1').click();
    await view.make('Image', 'A square');
    await picture('a-square.png');
    assert(!existsSync(pathOf('a-square-2.png')), 'it has that shape already');
    await view.button('More Options').click();
  });

  it('crops a video after saving, and keeps the original', async () => {
    await view.choose('Video');
    await view.button('More Options').click();
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('1:1').click();
    await view.content.getByText('cropped to 1:1').waitFor();
    await view.make('Video', 'A fox runs');
    const video = (name: string) => readFileSync(join(workbench.folder, 'media/videos', name));
    await view.whenMade('media/videos/a-fox-runs-2.mp4', 'A fox runs');
    const [original, cropped] = [readMp4(video('a-fox-runs.mp4')), readMp4(video('a-fox-runs-2.mp4'))];
    assert.deepEqual([original.width, original.height], [640, 360]);
    assert.deepEqual([cropped.width, cropped.height, cropped.frames], [360, 360, original.frames]);
    await view.content.getByText('version of a-fox-runs.mp4').waitFor();
    const record = records().find(({ file }) => file === 'media/videos/a-fox-runs-2.mp4');
    assert.match(
      JSON.stringify(record?.madeFrom),
      /^\{"file":"media\/videos\/a-fox-runs\.mp4","sha256":"[0-9a-f]{64}"\}$/,
    );
    assert.equal(record?.videoId, undefined, 'a remix is of the original');
    await workbench.screenshot('region - video');
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('Default').click();
    await view.button('More Options').click();
    await view.choose('Image');
  });

  it('edits only the selected region', async () => {
    await view.action('A square', 'Edit').click();
    await view.attachments.getByText('a-square.png').waitFor();
    await view.attachments.getByRole('button', { name: 'Select Region…' }).click();
    const dialog = view.content.getByRole('dialog', { name: 'Select Region' });
    const stage = dialog.getByRole('slider');
    await eventually('the picture is there', async () => ((await stage.boundingBox())?.width ?? 0) > 100);
    const box = await stage.boundingBox();
    assert(box);
    const at = (share: number) => [box.x + box.width * share, box.y + box.height * share] as const;
    await workbench.page.mouse.move(...at(0.25));
    await workbench.page.mouse.down();
    await workbench.page.mouse.move(...at(0.5), { steps: 5 });
    await workbench.page.mouse.up();
    await photograph(workbench, 'region - rectangle');
    await dialog.getByRole('button', { name: 'Use Region' }).click();
    await view.content.getByText('only the selected region').waitFor();
    await workbench.screenshot('region - selected');
    const chosen = await stageOfRegion();
    assert.match((await chosen.getAttribute('aria-valuetext')) ?? '', /^left 25\d, top 25\d, 25\d × 25\d pixels$/);
    await dialog.getByRole('button', { name: 'Use Region' }).click();
    await dialog.waitFor({ state: 'detached' });
    await view.field('Prompt').fill('a red buoy');
    await view.submit();
    const before = await picture('a-square.png');
    const after = await picture('a-square-2.png');
    assert.deepEqual([after.width, after.height], [before.width, before.height]);
    const isSame = (x: number, y: number) => {
      const at = (y * before.width + x) * before.channels;
      return [0, 1, 2].every((channel) => before.data[at + channel] === after.data[at + channel]);
    };
    assert(isSame(5, 5) && isSame(1000, 1000) && isSame(900, 300), 'the rest stays as it was');
    const inside = Array.from({ length: 100 }, (_, step) => isSame(300 + 2 * step, 300 + 2 * step));
    assert(inside.includes(false), 'the region is another one');
    // The record follows its file.
    const isEdited = ({ file }: { readonly file?: string }) => file === 'media/images/a-square-2.png';
    const record = await eventually('it is recorded', async () => records().find(isEdited));
    assert.equal(record.prompt, 'a red buoy');
    assert.match(JSON.stringify(record.inputs), /"file":"media\/images\/a-square.png"/);
    await view.content.getByText('edit of a-square.png').waitFor();
    await workbench.screenshot('region - edited');
  });

  it('can be selected with the brush and with the keyboard', async () => {
    await view.action('A square', 'Edit').click();
    await view.attachments.getByRole('button', { name: 'Select Region…' }).click();
    const dialog = view.content.getByRole('dialog', { name: 'Select Region' });
    const stage = dialog.getByRole('slider');
    await stage.waitFor();
    await dialog.getByRole('button', { name: 'Use Region' }).click();
    await dialog.getByRole('alert').getByText('Mark a region first.').waitFor();
    await stage.focus();
    await workbench.page.keyboard.press('ArrowRight');
    assert.equal(await stage.getAttribute('aria-valuetext'), 'left 256, top 256, 512 × 512 pixels');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await workbench.page.keyboard.press('Shift+ArrowRight');
    await eventually('it is wider', async () =>
      ((await stage.getAttribute('aria-valuetext')) ?? '').includes('533 × 512'),
    );
    await dialog.getByText('Brush').click();
    const box = await stage.boundingBox();
    assert(box);
    await workbench.page.mouse.move(box.x + 40, box.y + 60);
    await workbench.page.mouse.down();
    await workbench.page.mouse.move(box.x + 120, box.y + 90, { steps: 8 });
    await workbench.page.mouse.up();
    await workbench.screenshot('region - brush');
    const drawn = await stage.getAttribute('aria-valuetext');
    await workbench.page.mouse.move(box.x + 40, box.y + 160);
    await workbench.page.mouse.down();
    await workbench.page.mouse.up();
    assert.notEqual(await stage.getAttribute('aria-valuetext'), drawn);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await eventually('the last stroke is gone', async () => (await stage.getAttribute('aria-valuetext')) === drawn);
    await stage.focus();
    await workbench.page.keyboard.press('ControlOrMeta+z');
    await eventually('the first stroke is gone, and the rectangle is back', async () =>
      ((await stage.getAttribute('aria-valuetext')) ?? '').includes('533 × 512'),
    );
    await dialog.getByRole('button', { name: 'Edit the Whole Image' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});

story('a region whose request fails at first', () => {
  let requests = 0;
  let isBroken = true;
  let service: HttpServer;
  let workbench: Workbench;

  before(async () => {
    const answer = Buffer.from(quartersPng(64, 64)).toString('base64');
    service = await startHttpServer((request, response) => {
      request.resume().on('end', () => {
        requests++;
        if (isBroken) response.writeHead(500).end('{"error":{"message":"out of order"}}');
        else response.end(JSON.stringify({ data: [{ b64_json: answer }] }));
      });
    });
    workbench = await Workbench.start({
      files: { 'hero.png': quartersPng(600, 400) },
      machineSettings: {
        'explorer.autoReveal': false,
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { editImage: ['painter'] },
      },
    });
    await setApiKey(workbench);
  });

  after(async () => {
    await workbench?.stop();
    await service[Symbol.asyncDispose]();
  });

  it('is sent when its dialog is closed, and put into the picture when the job is run again after a reload', async () => {
    await workbench.runOnFiles(['hero.png'], 'Edit Image…');
    const view = await CreateView.open(workbench);
    await view.field('Prompt').fill('a red buoy');
    await view.attachments.getByRole('button', { name: 'Select Region…' }).click();
    const dialog = view.content.getByRole('dialog', { name: 'Select Region' });
    await dialog.getByRole('slider').focus();
    await workbench.page.keyboard.press('ArrowRight');
    // Sends nothing: the whole picture would be edited.
    await workbench.page.keyboard.press('ControlOrMeta+Enter');
    await dialog.getByRole('button', { name: 'Use Region' }).click();
    await dialog.waitFor({ state: 'detached' });
    await view.submit();
    await view.content.getByText('out of order').first().waitFor();
    await workbench.screenshot('region - failed');
    await workbench.whenKept('composer.unfinished.view');
    await workbench.reload();
    // VS Code in the browser keeps keys in the memory of the window.
    await setApiKey(workbench);
    isBroken = false;
    await workbench.runCommand('Media: Run Again…');
    await workbench.pick('Choose a job', 'Edit Image “a red buoy”');
    const question = await workbench.dialog('Run this job again?');
    await question.getByRole('button', { name: 'Run Again' }).click();
    const path = join(workbench.folder, 'hero-2.png');
    await eventually('the whole picture is saved', async () => existsSync(path));
    const { width, height } = decode(readFileSync(path));
    assert.deepEqual([width, height], [600, 400]);
    const again = await CreateView.open(workbench);
    await again.content.getByText('edit of hero.png').waitFor();
    assert.equal(requests, 2);
  });

  it('is no other than a shape: a picture is cropped when its job is run again', async () => {
    isBroken = true;
    const view = await CreateView.open(workbench);
    await view.button('More Options').click();
    await view.content.getByRole('radiogroup', { name: 'Shape' }).getByText('16:9').click();
    await view.field('Model').fill('painter');
    await view.field('Prompt').fill('A fox');
    await view.submit();
    await view.content.getByText('out of order').first().waitFor();
    isBroken = false;
    await view.content.getByRole('button', { name: 'Run Again (May Be Billed Again)' }).click();
    const path = join(workbench.folder, 'media/images/a-fox-2.png');
    await eventually('the cropped picture is saved', async () => existsSync(path));
    const { width, height } = decode(readFileSync(path));
    assert.deepEqual([width, height], [64, 36]);
    assert.equal(requests, 4);
  });
});
