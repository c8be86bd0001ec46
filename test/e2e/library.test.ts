import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { manifestStore, pngWith } from '../support/markedFiles.ts';
import { mp4Bytes } from '../support/mediaBytes.ts';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { makeFilm, preparedImage, preparedVideo, withResults } from './preparedResults.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const earlier: LibraryRecord = {
  kind: 'images',
  operation: 'generateImage',
  model: 'painter',
  mediaType: 'image/png',
  createdAt: '2026-11-01T10:00:00.000Z',
  jobId: 'job-1',
  file: 'media/images/lock.png',
  prompt: 'A lock',
  credentials: ['c2pa'],
  values: { size: '1536x1024' },
  differs: [{ field: 'size', asked: '1536x1024', got: '256x256' }],
};
const edited: LibraryRecord = {
  ...earlier,
  jobId: 'job-2',
  file: 'media/images/lock-2.png',
  prompt: 'A smaller lock',
  madeFrom: { file: 'media/images/lock.png', sha256: 'abc' },
  credentials: 'lost',
  digitalSourceType: 'trainedAlgorithmicMedia',
};

const tool: LibraryRecord = {
  ...earlier,
  kind: 'videos',
  operation: 'generateVideo',
  jobId: 'job-3',
  file: 'media/videos/tool.mp4',
  prompt: 'A tool',
  inputs: [
    { field: 'image_url', address: 'https://pictures.example/a/hero.png' },
    { field: 'image_url', file: 'gone.png', sha256: 'abc' },
  ],
};

/** More than the pages that are loaded when the first and the last are shown; older than all others, newest first. */
const pebbles = Array.from({ length: 150 }, (_, index): LibraryRecord => {
  const name = `Pebble ${String(index).padStart(3, '0')}`;
  const createdAt = new Date(Date.UTC(2026, 9, 1) - index * 60_000).toISOString();
  const file = `media/images/${name.replace(' ', '-')}.png`;
  return { kind: 'images', operation: 'generateImage', model: 'painter', createdAt, jobId: name, file, prompt: name };
});

story('the library in a tab', () => {
  let workbench: Workbench;
  let view: CreateView;
  let library: CreateView;

  before(async () => {
    const film = await makeFilm(2);
    const results = [
      preparedImage('A fox in the snow'),
      preparedImage('A harbour at dawn'),
      preparedVideo('A fox runs', film),
      preparedVideo('In the rain', film, { operation: 'remixVideo', parentVideoId: 'video of A fox runs' }),
    ];
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: {
        ...withResults(
          results,
          [earlier, edited, tool, ...pebbles].map((record) => `${JSON.stringify(record)}\n`).join(''),
        ),
        'notes.md': '# Notes\n',
        'media/images/lock.png': pngWith(['caBX', manifestStore()]),
        'media/images/lock-2.png': pngWith(['caBX', manifestStore()]),
        'media/videos/tool.mp4': mp4Bytes,
        ...Object.fromEntries(pebbles.map(({ file = '' }) => [file, 'a picture'])),
      },
    });
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
    view = await CreateView.open(workbench);
    library = await CreateView.openLibrary(workbench);
  });

  after(() => workbench?.stop());

  const details = (): Locator => library.content.getByRole('region', { name: 'Details' });

  it('leaves composing to the side bar, and shows all details of the selection', async () => {
    assert.equal(await library.content.getByRole('tablist').count(), 0);
    await library.press(library.action('A fox in the snow', 'Show Details'));
    await details().getByText('A fox in the snow', { exact: true }).waitFor();
    for (const fact of ['sandbox-1', 'Generate Image', 'media/images/a-fox-in-the-snow.png', 'image/png']) {
      await details().getByText(fact, { exact: true }).waitFor();
    }
    await details()
      .getByText(/^[0-9a-f]{64}$/)
      .waitFor();
    await workbench.screenshot('library - selected');
  });

  it('moves to the next and previous result with the keyboard', async () => {
    await library.tabTo(details().getByRole('button', { name: 'Next' }));
    await workbench.page.keyboard.press('ArrowLeft');
    await details().getByText('A harbour at dawn', { exact: true }).waitFor();
    await workbench.page.keyboard.press('ArrowRight');
    await details().getByText('A fox in the snow', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await details().waitFor({ state: 'detached' });
  });

  it('fills the composer of the side bar, which is shown', async () => {
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await library.action('A harbour at dawn', 'Use Prompt').click();
    view = await CreateView.at(workbench, 'view');
    const prompt = view.field('Prompt');
    await eventually('the prompt is there', async () => (await prompt.inputValue()) === 'A harbour at dawn');
    await view.whenFocused(prompt);
  });

  it('links a video to its source and its remixes', async () => {
    await library.action('In the rain', 'Show Details').click();
    await details().getByRole('list', { name: 'Made from' }).getByRole('button', { name: 'A fox runs' }).click();
    const remix = details().getByRole('list', { name: 'Used for' }).getByRole('button', { name: 'In the rain' });
    await remix.waitFor();
    await workbench.screenshot('library - lineage');
  });

  it('compares two pictures with a slider', async () => {
    for (const name of ['A fox in the snow', 'A harbour at dawn']) {
      await library.action(name, 'Show Details').click({ modifiers: ['Control'] });
    }
    await library.press(library.content.getByRole('button', { name: 'Compare' }));
    const slider = library.content.getByRole('dialog', { name: 'Compare' }).getByRole('slider');
    await library.tabTo(slider);
    await workbench.page.keyboard.press('Home');
    const clip = () => library.content.locator('.slider-pictures img').last().getAttribute('style');
    await eventually('only the second is seen', async () =>
      /inset\(0(px)? 0(px)? 0(px)? 0%\)/.test((await clip()) ?? ''),
    );
    await workbench.page.keyboard.press('End');
    await eventually('only the first is seen', async () => ((await clip()) ?? '').includes('100%'));
    for (let step = 0; step < 40; step++) await workbench.page.keyboard.press('ArrowLeft');
    await workbench.screenshot('library - compare');
    await workbench.page.keyboard.press('Escape');
    await library.press(library.content.getByRole('button', { name: 'Clear Selection' }));
  });

  it('does the same to all that are selected', async () => {
    await library.action('In the rain', 'Show Details').click({ modifiers: ['Control'] });
    await library.action('A fox in the snow', 'Show Details').click({ modifiers: ['Shift'] });
    await library.content.getByText('4 selected').waitFor();
    const bar = library.content.locator('.chosen-bar');
    await workbench.screenshot('library - selected many');
    await bar.getByRole('button', { name: 'Star' }).click();
    const stars = library.content.locator('.star[aria-pressed=true]');
    await eventually('all have a star', async () => (await stars.count()) === 4);
    await bar.getByRole('button', { name: 'Delete Files…' }).click();
    const question = workbench.page.getByRole('dialog').filter({ hasText: 'Delete 4 files?' });
    await question.waitFor();
    await workbench.page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await library.whenFocused(bar.getByRole('button', { name: 'Delete Files…' }));
    await bar.getByRole('button', { name: 'Clear Selection' }).click();
    await library.whenFocused(library.action('A fox in the snow', 'Show Details'));
    await library.action('A fox in the snow', 'Show Details').click();
    await details().getByText('96 × 64 pixels').waitFor();
  });

  it('selects all up to a result, also those that are not loaded', async () => {
    await library.content.getByRole('searchbox', { name: 'Filter' }).fill('pebble');
    await library.result('A harbour at dawn').waitFor({ state: 'detached' });
    await library.result('Pebble 000').getByText('cannot be shown').waitFor();
    await library.action('Pebble 000', 'Show Details').click({ modifiers: ['Control'] });
    await library.content.locator('.scroller').evaluate((scroller: Scroller) => scroller.scrollTo(0, 1e6));
    await library.action('Pebble 149', 'Show Details').click({ modifiers: ['Shift'] });
    await library.content.getByText('150 selected').waitFor();
    await library.content.locator('.scroller').evaluate((scroller: Scroller) => scroller.scrollTo(0, 0));
    await library.content.locator('.chosen-bar').getByRole('button', { name: 'Clear Selection' }).click();
    await library.content.getByRole('searchbox', { name: 'Filter' }).fill('');
  });

  it('keeps the clicked tile where it is when the details open, and opens the file of a double click', async () => {
    const { page } = workbench;
    await library.content.getByRole('button', { name: 'Close Details' }).click();
    await library.content.locator('.scroller').evaluate((scroller: Scroller) => scroller.scrollTo(0, 2700));
    const tile = library.result('Pebble 083');
    let last: Awaited<ReturnType<typeof tile.boundingBox>> = null;
    const before = await eventually('the tile stays at one place of the wide gallery', async () => {
      const box = await tile.boundingBox();
      const isAtRest = isDeepStrictEqual(box, last);
      last = box;
      return isAtRest && box !== null && box.y > 80 && box.y < 600 && box;
    });
    const [x, y] = [before.x + before.width / 2, before.y + before.height / 3];
    await page.mouse.click(x, y);
    await details().getByText('Pebble 083', { exact: true }).waitFor();
    const isHeld = async () => Math.abs(((await tile.boundingBox())?.y ?? 0) - before.y) < 2;
    await eventually('it is as high as before', isHeld);
    await library.whenFocused(library.action('Pebble 083', 'Show Details'));
    await library.content.getByRole('button', { name: 'Close Details' }).click();
    await eventually('it is as high as before, in the wider gallery', isHeld);
    await page.mouse.click(x, y, { clickCount: 1 });
    await details().getByText('Pebble 083', { exact: true }).waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await workbench.editorTab('Pebble-083.png');
    await workbench.runCommand('View: Close Editor');
    library = await CreateView.at(workbench, 'tab');
    await library.content.getByRole('button', { name: 'Close Details' }).click();
    await library.content.locator('.scroller').evaluate((scroller: Scroller) => scroller.scrollTo(0, 0));
  });

  it('plays two videos in step', async () => {
    for (const name of ['A fox runs', 'In the rain']) {
      const more = library.action(name, 'More Actions');
      await library.chooseIn(more, 'Select');
    }
    await library.press(library.content.getByRole('button', { name: 'Compare' }));
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    await library.press(dialog.getByRole('button', { name: 'Play' }));
    const times = () =>
      dialog.locator('video').evaluateAll((videos) => videos.map((video) => (video as unknown as Video).currentTime));
    await eventually('both play', async () => (await times()).every((time) => time > 0.5));
    const [one = 0, other = 9] = await times();
    assert(Math.abs(one - other) < 0.3, `${one} and ${other}`);
    await workbench.screenshot('library - in step');
    await workbench.page.keyboard.press('Escape');
  });

  it('opens at a result from its menu in the side bar', async () => {
    view = await CreateView.open(workbench);
    await view.content.getByLabel('Kind of result').selectOption('All');
    for (let time = 1; time <= 2; time++) {
      await view.chooseIn(view.action('A harbour at dawn', 'More Actions'), 'Show in Library');
      await details().getByText('A harbour at dawn', { exact: true }).waitFor();
      await library.content.getByRole('button', { name: 'Close Details' }).click();
    }
  });

  it('is as it was after another editor has covered it', async () => {
    await library.content.getByLabel('Kind of result').selectOption('Videos');
    await library.action('A fox runs', 'Show Details').click();
    await details().getByText('A fox runs', { exact: true }).waitFor();
    await library.action('In the rain', 'Show Details').click({ modifiers: ['Control'] });
    await library.content.getByText('1 selected').waitFor();
    await workbench.openFile('notes.md');
    await workbench.page.locator('iframe.webview:visible').nth(1).waitFor({ state: 'detached' });
    library = await CreateView.openLibrary(workbench);
    await details().getByText('A fox runs', { exact: true }).waitFor();
    assert.equal(await library.content.getByLabel('Kind of result').inputValue(), 'videos');
    await library.content.getByText('1 selected').waitFor();
    await library.content.locator('.chosen-bar').getByRole('button', { name: 'Clear Selection' }).click();
  });

  it('goes to the next and the previous one of the results that the filter shows now', async () => {
    const button = (name: string) => details().getByRole('button', { name, exact: true });
    const click = async (name: string) => {
      await details().locator(`button[aria-label=${name}][aria-disabled=false]`).waitFor();
      await button(name).click();
    };
    await click('Next');
    await details().getByText('A tool', { exact: true }).waitFor();
    const sources = details().getByRole('list', { name: 'Made from' });
    await sources.getByTitle('https://pictures.example/a/hero.png').waitFor();
    assert.match(await sources.innerText(), /^pictures\.example\s+missing\s+gone\.png$/);
    await library.content.getByLabel('Kind of result').selectOption('All');
    await library.result('lock-2.png').waitFor();
    await click('Previous');
    await details().getByText('A smaller lock', { exact: true }).waitFor();
    await library.content.getByLabel('Kind of result').selectOption('Videos');
    await eventually(
      'it is not among them',
      async () => (await button('Next').getAttribute('aria-disabled')) === 'true',
    );
    await library.content.getByLabel('Kind of result').selectOption('All');
    await click('Previous');
    await details().getByText('A lock', { exact: true }).waitFor();
  });

  it('tells of a result that is not what was asked for, as its tile does, and its marks of origin', async () => {
    const difference = 'size is 256x256 instead of 1536x1024';
    await library.content.getByLabel('Kind of result').selectOption('All');
    await view.content.locator('.tile').getByText(difference, { exact: true }).first().waitFor();
    await library.action('A lock', 'Show Details').click();
    await details().getByText(`The result is not what was asked for: ${difference}.`).waitFor();
    await details().getByText('Content Credentials (present, not verified)').waitFor();
    await workbench.screenshot('library - differs, marks present');
    await library.action('lock-2.png', 'Show Details').click();
    await details().getByText('made here without the credentials of its source, marked as made by AI').waitFor();
    await workbench.screenshot('library - marks lost');
  });
});

/** The DOM types are not available here. */
interface Video {
  readonly currentTime: number;
}

/** The DOM types are not available here. */
interface Scroller {
  scrollTo(x: number, y: number): void;
}
