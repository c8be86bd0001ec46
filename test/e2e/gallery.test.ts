import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { CreateView } from './createView.ts';
import { actUntil, eventually, eventuallyEqual } from './eventually.ts';
import { choose, expandVideo, itemOf, photograph } from './mediaViews.ts';
import { makeFilm, preparedImage, preparedVideo, withResults } from './preparedResults.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const views = ['Create', 'Videos', 'Activity', 'Assets'];

/** Returns the results that the window begins with, oldest first. */
async function results() {
  const film = await makeFilm(0.3);
  const foxes = ['a-fox', 'a-fox-2', 'a-fox-3'].map((name) =>
    preparedImage('A fox', { file: `media/images/${name}.png`, jobId: 'foxes' }),
  );
  const source = { field: 'image_urls', file: 'media/images/a-fox-3.png', sha256: foxes[2]?.record.sha256 ?? '' };
  return [
    preparedVideo('A fox runs', film),
    preparedVideo('With northern lights', film, { operation: 'remixVideo', parentVideoId: 'video of A fox runs' }),
    ...foxes,
    preparedImage('At night', { operation: 'editImage', inputs: [source] }),
    preparedImage('A harbour at dawn'),
    preparedImage('A boat'),
  ];
}

story('what a person does to results', () => {
  let workbench: Workbench;
  let view: CreateView;
  let library: CreateView;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
      files: {
        ...withResults(await results()),
        'media.jsonc': '{"assets": {}}',
        'docs/boats.md': '# Guide\n\n\n',
        'README.md': '# Fox\n\n',
      },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    view = await CreateView.open(workbench);
    await view.content.getByLabel('Kind of result').selectOption('All');
  });

  after(() => workbench?.stop());

  const video = (name: string) => itemOf(workbench, 'Videos', name);
  const file = (path: string) => join(workbench.folder, path);

  const pane = (name: string) => {
    const header = workbench.page.locator(`.pane-header[aria-label^="${name}"]`);
    return { header, whole: workbench.page.locator('.sidebar .pane', { has: header }) };
  };

  /** Returns the part of the height that Create has. */
  async function share(): Promise<number> {
    const boxes = await Promise.all(views.map((name) => pane(name).whole.boundingBox()));
    const heights = boxes.map((box) => box?.height ?? 0);
    assert(!heights.includes(0), `all views are there: ${heights.join()}`);
    return (heights[0] ?? 0) / heights.reduce((sum, height) => sum + height, 0);
  }

  async function toggle(name: string, isOpen: boolean): Promise<void> {
    await pane(name).header.click();
    await pane(name)
      .header.and(workbench.page.locator(`[aria-expanded=${isOpen}]`))
      .waitFor();
  }

  // VS Code gives each open tree at least 120 px below its header, whatever the weights say. With two trees open Create
  // has half of the height at this size.
  it('leaves Create at least 60 % of the height at 1280 × 760: at first, and with any of the trees open', async () => {
    await pane('Assets').header.waitFor();
    assert((await share()) > 0.8);
    for (const name of views.slice(1)) {
      await toggle(name, true);
      await eventually(`${name} is open`, async () => ((await pane(name).whole.boundingBox())?.height ?? 0) > 100);
      const found = await share();
      assert(found >= 0.6, `${name}: ${found}`);
      await workbench.screenshot(`room - ${name}`);
      await toggle(name, false);
      await eventually(`${name} is closed`, async () => ((await pane(name).whole.boundingBox())?.height ?? 0) < 40);
    }
  });

  it('groups results by request and by day, and sorts them', async () => {
    await view.content.getByRole('button', { name: 'More Filters' }).click();
    await view.content.getByLabel('Groups').selectOption('By request');
    await view.results.getByRole('heading', { name: 'A fox' }).waitFor();
    await photograph(workbench, 'gallery - by request');
    await view.resize(300);
    await view.content.getByLabel('Groups').selectOption('By day');
    await view.results.getByRole('heading', { name: 'Today' }).waitFor();
    await workbench.screenshot('gallery - by day');
    await view.content.getByLabel('Order').selectOption('Oldest first');
    const names = () =>
      view.results.locator('li.tile').evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('aria-label')));
    await eventually('the first request comes first', async () => (await names())[0] === 'A fox runs');
    const foxes = ['A fox runs', 'With northern lights', 'A fox', 'A fox', 'A fox'];
    assert.deepEqual(await names(), [...foxes, 'At night', 'A harbour at dawn', 'A boat']);
    await view.content.getByLabel('Order').selectOption('Newest first');
    await view.content.getByLabel('Groups').selectOption('No groups');
  });

  it('renames a file with F2, the attachment of it follows, and the tile has the focus again', async () => {
    await view.action('A harbour at dawn', 'Edit').click();
    await view.attachments.getByText('a-harbour-at-dawn.png').waitFor();
    const tile = view.action('A harbour at dawn', 'Open');
    await view.tabTo(tile);
    await workbench.page.keyboard.press('F2');
    await workbench.answerInput('Rename a-harbour-at-dawn.png', 'harbour.jpg');
    await workbench.quickInput('The name must end in .png');
    await workbench.answerInput('Rename', 'harbour.png');
    await eventually('the file is renamed', async () => existsSync(file('media/images/harbour.png')));
    await eventually('the library knows it', async () =>
      readFileSync(file('.unified-media/library.jsonl'), 'utf8').includes('"file":"media/images/harbour.png"'),
    );
    await view.action('A harbour at dawn', 'Insert at Cursor').waitFor({ state: 'attached' });
    await view.attachments.getByText('harbour.png', { exact: true }).waitFor();
    await view.whenFocused(tile);
    await workbench.page.keyboard.press('F2');
    await workbench.quickInput('Rename harbour.png');
    await workbench.page.keyboard.press('Escape');
    await view.whenFocused(tile);
  });

  it('tells when something could not be done', async () => {
    await view.tabTo(view.action('A harbour at dawn', 'Open'));
    await workbench.page.keyboard.press('F2');
    await workbench.quickInput('Rename harbour.png');
    renameSync(file('media/images/harbour.png'), file('elsewhere'));
    await workbench.answerInput('Rename', 'port.png');
    await workbench.notification('harbour.png could not be renamed to port.png.');
    renameSync(file('elsewhere'), file('media/images/harbour.png'));
    await workbench.clearNotifications();
    await view.action('A harbour at dawn', 'Insert at Cursor').waitFor({ state: 'attached' });
  });

  it('copies an image, and says so where the window refuses it', async () => {
    const { page } = workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await view.chooseIn(view.action('A harbour at dawn', 'More Actions'), 'Copy Image');
    const types = () =>
      page.evaluate(async () => {
        const { clipboard } = (globalThis as unknown as Browser).navigator;
        return (await clipboard.read()).flatMap((item) => [...item.types]);
      });
    await eventually('the clipboard holds a picture', async () => {
      await page.bringToFront();
      return (await types().catch((): readonly string[] => [])).includes('image/png');
    });
    await view.content.locator('body').evaluate(() => {
      const { clipboard } = (globalThis as unknown as Browser).navigator;
      clipboard.write = () => Promise.reject(new Error('not allowed'));
    });
    await view.chooseIn(view.action('A harbour at dawn', 'More Actions'), 'Copy Image');
    const refusal = await workbench.notification('harbour.png was not copied: this window does not allow');
    await refusal.getByRole('button', { name: 'Copy Path' }).click();
  });

  it('drags a tile into a document, where it becomes the reference that Insert at Cursor writes', async () => {
    const { page } = workbench;
    await workbench.openFile('docs/boats.md');
    view = await CreateView.open(workbench);
    const from = await view.result('A boat').boundingBox();
    const to = await page.locator('.editor-instance .view-line').first().boundingBox();
    assert(from && to);
    await page.mouse.move(from.x + 40, from.y + 60);
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 20 });
    await page.keyboard.down('Shift');
    await page.mouse.move(to.x + 20, to.y + 8, { steps: 10 });
    await workbench.screenshot('tile - dragged');
    await page.mouse.move(to.x + 10, to.y + 8, { steps: 10 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.locator('.view-lines').getByText('![A boat](../media/images/a-boat.png)').waitFor();
    await workbench.screenshot('tile - dropped');
  });

  it('keeps one of several, and moves the others to the trash after asking once', async () => {
    library = await CreateView.openLibrary(workbench);
    for (const index of [0, 1, 2]) {
      const tile = library.results.getByRole('listitem', { name: 'A fox', exact: true }).nth(index);
      await tile.getByRole('button', { name: 'Show Details' }).click({ modifiers: ['Control'] });
    }
    await library.press(library.content.getByRole('button', { name: 'Compare' }));
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    await dialog.getByRole('button', { name: 'Keep This' }).nth(2).waitFor();
    await workbench.screenshot('gallery - keep this');
    await dialog.getByRole('button', { name: 'Keep This' }).first().click();
    const question = await workbench.dialog('Keep a-fox');
    await workbench.screenshot('gallery - what with the others');
    await question.getByRole('button', { name: 'Only Remove Their Stars' }).click();
    await dialog.waitFor({ state: 'detached' });
    const stars = library.content.locator('.star[aria-pressed=true]');
    await eventually('the kept one has a star', async () => (await stars.count()) === 1);
    assert(['a-fox.png', 'a-fox-2.png', 'a-fox-3.png'].every((name) => existsSync(file(`media/images/${name}`))));
  });

  it('compares an edit with its source', async () => {
    await library.action('At night', 'Show Details').click();
    await library.content.getByRole('button', { name: 'Compare with Source' }).click();
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    const pictures = dialog.locator('.slider-pictures img');
    await eventually('both pictures are there', async () =>
      (await pictures.evaluateAll((all) => all.map((one) => (one as unknown as Picture).naturalWidth))).every(
        (width) => width > 0,
      ),
    );
    assert.equal(await pictures.count(), 2);
    assert.match((await pictures.first().getAttribute('src')) ?? '', /a-fox-3\.png$/);
    await workbench.screenshot('gallery - compare with source');
    await workbench.page.keyboard.press('ArrowRight');
    await workbench.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const details = library.content.getByRole('region', { name: 'Details' });
    await details.getByRole('paragraph').getByText('At night', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await library.whenFocused(library.action('At night', 'Show Details'));
  });

  it('inserts a video of the tree at the cursor', async () => {
    await workbench.runCommand('Media: Focus on Videos View');
    await expandVideo(workbench, 'A fox runs', 'With northern lights');
    await workbench.openFile('README.md');
    await workbench.page.keyboard.press('ControlOrMeta+End');
    const reference = workbench.page.locator('.view-lines').getByText('media/videos/a-fox-runs.mp4').first();
    await actUntil(reference, () => choose(workbench, video('A fox runs'), 'Insert Asset at Cursor'));
  });

  it('inserts a video that is dragged from the tree into a document with Shift held', async () => {
    const { page } = workbench;
    const from = await video('With northern lights').boundingBox();
    const to = await page.locator('.editor-instance .view-line').first().boundingBox();
    assert(from && to);
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 20 });
    const prompt = page.locator('.editor-group-overlay-drop-into-prompt');
    await prompt.waitFor();
    await page.keyboard.down('Shift');
    await page.mouse.move(to.x + 20, to.y + 8, { steps: 5 });
    // A drop before the text editor has taken over would open the video.
    await prompt.waitFor({ state: 'hidden' });
    await page.mouse.move(to.x + 10, to.y + 8, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    // VS Code's own reference would not contain the prompt.
    const reference = 'src="media/videos/with-northern-lights.mp4" title="With northern lights"';
    await page.locator('.view-lines').getByText(reference).waitFor();
  });

  it('puts the prompt of a video and what it was remixed from into the composer', async () => {
    view = await CreateView.at(workbench, 'view');
    await actUntil(view.button('Remix Video'), () => choose(workbench, video('With northern lights'), 'Use Prompt'));
    await eventuallyEqual(() => view.field('Prompt').inputValue(), 'With northern lights');
  });
});

/** The DOM types are not available here. */
interface Picture {
  readonly naturalWidth: number;
}

/** The DOM types are not available here. */
interface Browser {
  readonly navigator: {
    readonly clipboard: {
      read(): Promise<readonly { readonly types: readonly string[] }[]>;
      write: () => Promise<void>;
    };
  };
}
