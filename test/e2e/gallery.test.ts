import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { photograph } from './mediaViews.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const assets = { 'hero.png': { operation: 'generateImage', prompt: 'A lighthouse', model: 'sandbox-1', variants: 2 } };

story('what a person does to results', () => {
  let workbench: Workbench;
  let view: CreateView;
  let library: CreateView;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
      userSettings: { 'markdown.updateLinksOnFileMove.enabled': 'always' },
      files: {
        'media.jsonc': JSON.stringify({ assets }),
        'guide.md': '![A fox](media/images/a-fox.png)\n',
        'docs/boats.md': '# Guide\n\n\n',
      },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    view = await CreateView.open(workbench);
    await view.field('Count').fill('3');
    await view.make('Image', 'A fox');
    await view.field('Count').fill('1');
    await view.make('Image', 'A harbour at dawn');
    await view.make('Video', 'A fox runs');
    await view.content.getByLabel('Kind of result').selectOption('All');
  });

  after(() => workbench?.stop());

  const file = (path: string) => join(workbench.folder, path);
  const keep = (dialog: Locator, name: string) => dialog.locator('li').filter({ hasText: name }).getByRole('button');

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
    await eventually('the first request comes first', async () => (await names())[0] === 'A fox');
    assert.deepEqual(await names(), ['A fox', 'A fox', 'A fox', 'A harbour at dawn', 'A fox runs']);
    await view.content.getByLabel('Order').selectOption('Newest first');
    await view.content.getByLabel('Groups').selectOption('No groups');
  });

  it('renames a file with F2, the attachment of it follows, and the tile has the focus again', async () => {
    await workbench.openFile('guide.md');
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
    await library.action('A harbour at dawn', 'Edit').click();
    view = await CreateView.at(workbench, 'view');
    await view.attachments.getByText('harbour.png').waitFor();
    await view.field('Prompt').fill('the same at night');
    await view.submit();
    await library.action('the same at night', 'Show Details').click();
    await library.content.getByRole('button', { name: 'Compare with Source' }).click();
    const dialog = library.content.getByRole('dialog', { name: 'Compare' });
    const pictures = dialog.locator('.slider-pictures img');
    await eventually('both pictures are there', async () =>
      (await pictures.evaluateAll((all) => all.map((one) => (one as unknown as Picture).naturalWidth))).every(
        (width) => width > 0,
      ),
    );
    assert.equal(await pictures.count(), 2);
    assert.match((await pictures.first().getAttribute('src')) ?? '', /harbour\.png$/);
    await workbench.screenshot('gallery - compare with source');
    await workbench.page.keyboard.press('ArrowRight');
    await workbench.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const details = library.content.getByRole('region', { name: 'Details' });
    await details.getByText('the same at night', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await library.whenFocused(library.action('the same at night', 'Show Details'));
  });

  it('compares the variants of an asset of media.jsonc, and uses the kept one', async () => {
    await workbench.runCommand('Media: Apply Assets…');
    const sending = await workbench.dialog('Send 1 request');
    await sending.getByRole('button', { name: 'Apply', exact: true }).click();
    await workbench.notification('1 asset was made.');
    const before = readFileSync(file('hero.png'));
    await workbench.runCommand('Media: Focus on Assets View');
    const tree = workbench.page.getByRole('tree', { name: 'Assets' });
    await tree.getByRole('treeitem', { name: /^fresh/ }).click();
    await tree.getByRole('treeitem', { name: 'hero.png' }).click({ button: 'right' });
    await workbench.chooseInMenu('Choose Variant…');
    library = await CreateView.at(workbench, 'tab');
    let dialog = library.content.getByRole('dialog', { name: 'Variants of hero.png' });
    await keep(dialog, 'Variant 1, used now').waitFor();
    await workbench.screenshot('gallery - variants');
    await workbench.openFile('media.jsonc');
    await workbench.page.locator('iframe.webview:visible').nth(1).waitFor({ state: 'detached' });
    library = await CreateView.openLibrary(workbench);
    dialog = library.content.getByRole('dialog', { name: 'Variants of hero.png' });
    await keep(dialog, 'Variant 2').click();
    await eventually('the other variant is used', async () => !readFileSync(file('hero.png')).equals(before));
  });

  it('forgets the name of a model that was used once', async () => {
    view = await CreateView.open(workbench);
    await view.tab('Image').click();
    await view.field('Model').fill('own-model');
    await view.make('Image', 'A boat');
    await workbench.runCommand('Media: Generate Image…');
    const question = await workbench.quickInput('What the image shows');
    await question.getByRole('button', { name: 'Change Model and Options…' }).click();
    await workbench.pick('Choose what to change', 'Model');
    const models = await workbench.quickInput('Choose a model, or type its name');
    const own = models.getByRole('option').filter({ hasText: 'own-model' });
    await own.hover();
    await workbench.screenshot('gallery - forget a model');
    await own.getByRole('button', { name: 'Forget This Name' }).click();
    await own.waitFor({ state: 'detached' });
    await workbench.page.keyboard.press('Escape');
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
