import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { galleryFiles } from '../support/largeLibrary.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { type Box, type Page, tooWide, violations } from './barriers.ts';
import { CreateView, type Named } from './createView.ts';
import { eventually } from './eventually.ts';
import { libraryFile, makeFilm, prepared, preparedImage, preparedVideo, withResults } from './preparedResults.ts';
import { type Theme, Workbench } from './workbench.ts';

const tabs = ['Image', 'Speech', 'Transcript', 'Video'];

/** Themes by the class that VS Code sets on the body of a webview. */
const themes = {
  'vscode-light': 'Light 2026',
  'vscode-dark': 'Dark 2026',
  'vscode-high-contrast': 'Default High Contrast',
  'vscode-high-contrast-light': 'Default High Contrast Light',
} as const satisfies Readonly<Record<string, Theme>>;

const hostile = `<img src=x onerror="document.title='evil'"><b>bold</b> ‮שלום‬ 🦊👩‍👩‍👧 ${'unbroken'.repeat(40)}`;

/** Returns a result of each kind, oldest first. */
async function results() {
  const sound = await readFile(join(import.meta.dirname, '../support/recordings/mp3.mp3'));
  const said = 'The lamps come on.';
  const spoken = { operation: 'speak', file: 'media/speech/the-lamps-come-on.mp3' } as const;
  const heard = { operation: 'transcribe', file: 'media/transcripts/the-lamps-come-on.md' } as const;
  return [
    preparedImage('A fox in the snow'),
    prepared(said, sound, 'audio/mpeg', spoken),
    prepared(undefined, Buffer.from(`${said}\n`), 'text/markdown', heard),
    preparedVideo('A fox runs', await makeFilm(0.3)),
  ];
}

describe('the appearance of the Create view', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    const older = galleryFiles(1000, pngBytes);
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: { ...older, ...withResults(await results(), `${older[libraryFile]}`) },
    });
    view = await CreateView.open(workbench);
    await view.content.getByLabel('Kind of result').selectOption('Speech');
    await view.content.getByLabel('Kind of result').selectOption('All');
    // Rare states: an attachment, a file that cannot be attached, and expanded options.
    await view.action('A fox in the snow', 'Edit').click();
    await view.attachments.getByText('a-fox-in-the-snow.png').waitFor();
    await view.button('More Options').click();
    await view.drop('outside.txt', Buffer.from('no picture'));
    await view.alert.getByText('outside.txt is not an image.').waitFor();
  });

  after(() => workbench?.stop());

  /** Looks at each of these tabs, and at the menu of a result. */
  async function everywhere(
    name: string,
    barriers: () => Promise<readonly string[]>,
    shown: readonly string[] = tabs,
  ): Promise<void> {
    for (const tab of shown) {
      await view.tab(tab).click();
      await view.content.locator(`[role=tab][aria-selected=true][aria-label="${tab}"]`).waitFor();
      assert.deepEqual(await barriers(), [], tab);
      await workbench.screenshot(`create - ${tab}, ${name}`);
    }
    await view.action('A fox runs', 'More Actions').click();
    await view.content.getByRole('menu').waitFor();
    assert.deepEqual(await barriers(), [], 'with a menu');
    const { height = 0 } = (await view.content.getByRole('menuitem', { name: 'Show in Library' }).boundingBox()) ?? {};
    assert(height > 0 && height < 40, `an entry of the menu is ${height} px high`);
    await workbench.screenshot(`create - menu, ${name}`);
    await workbench.page.keyboard.press('Escape');
  }

  for (const width of [600, 300, 200]) {
    it(`fits into ${width} px, with a menu open as well`, async () => {
      await view.resize(width);
      await everywhere(`${width} px`, () => tooWide(view));
    });
  }

  for (const [index, [body, theme]] of Object.entries(themes).entries()) {
    it(`meets WCAG 2.1 AA in ${theme}, with a menu open as well`, async () => {
      await workbench.setTheme(theme);
      await view.content.locator(`body.${body}`).waitFor();
      // All tabs have the same colours; only the first shows an alert.
      await everywhere(
        theme,
        () => violations(view, 'sideBar', index === 0 ? 'all' : 'ofColour'),
        index === 0 ? tabs : tabs.slice(0, 1),
      );
    });
  }

  it('names every player, which axe does not check, and shows the focus on the way to the results', async () => {
    const labels = await view.content
      .locator('audio, video')
      .evaluateAll((players) => players.map((player) => (player as unknown as Named).getAttribute('aria-label')));
    assert(labels.length > 0 && labels.every(Boolean), labels.join());
    await view.choose('Image');
    await view.tabTo(view.results.getByRole('button', { name: 'Open', exact: true }).nth(2));
  });

  it('shows the chosen kind of results in full, in one line with the other filters at 300 pixels', async () => {
    await view.resize(300);
    const kind = view.content.getByLabel('Kind of result');
    for (const name of ['Images', 'Speech', 'Transcripts', 'Videos', 'All']) {
      await kind.selectOption(name);
      assert.deepEqual(await kind.evaluate(cutOff), { width: 0, isInLine: true }, name);
      await workbench.screenshot(`create - filtered by ${name}`);
    }
  });

  it('shows the newest result, the running job and the composer together at 300 × 700', async () => {
    await workbench.page.setViewportSize({ width: 1280, height: 700 });
    await view.resize(300);
    await view.choose('Image');
    await view.press(view.button('Remove a-fox-in-the-snow.png'));
    await view.type('Prompt', 'Seen at once');
    await view.submit();
    await view.result('Seen at once').waitFor();
    await view.action('Seen at once', 'Insert at Cursor').waitFor();
    for (const part of [view.field('Prompt'), view.button('Generate Image'), view.result('Seen at once')]) {
      assert.deepEqual(await hiddenPart(part), '', `${part}`);
    }
    const before = await view.result('Seen at once').boundingBox();
    await view.type('Prompt', 'And another');
    await view.submit();
    await view.action('And another', 'Insert at Cursor').waitFor();
    const after = await view.result('And another').boundingBox();
    assert.deepEqual(after, before, 'the result is not where its job was');
    await workbench.screenshot('create - 300 × 700');
    await workbench.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('scrolls the menu of a result in a low window with the wheel', async () => {
    await workbench.page.setViewportSize({ width: 1280, height: 330 });
    await view.action('The lamps come on.', 'More Actions').click();
    const menu = view.content.getByRole('menu');
    await menu.getByRole('menuitem').nth(2).hover();
    await workbench.page.mouse.wheel(0, 1000);
    const scrolled = () => menu.evaluate(({ scrollTop }: { scrollTop: number }) => scrollTop);
    await eventually('the menu has scrolled', async () => (await scrolled()) > 0);
    await workbench.page.keyboard.press('Escape');
    await workbench.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('renders foreign text as text, however odd or long', async () => {
    await view.resize(200);
    await view.choose('Image');
    await view.type('Prompt', hostile);
    await view.submit();
    await view.results.getByRole('listitem').filter({ hasText: 'onerror' }).first().waitFor();
    assert.equal(await view.content.locator('b, img[src=x]').count(), 0);
    assert.deepEqual(await tooWide(view), []);
    await workbench.screenshot('create - hostile text');
    await view.type('Prompt', `🦊 ${'word '.repeat(800)}`);
    await view.button('Generate Image').waitFor();
    assert.deepEqual(await tooWide(view), []);
    const height = await view.field('Prompt').evaluate(({ clientHeight }: { clientHeight: number }) => clientHeight);
    assert(height < 400, `${height} px high`);
    await view.type('Prompt', '');
  });

  it('fits from right to left, and at 200 % in a narrow side bar', async () => {
    await view.resize(300);
    const setDirection = (direction: string) =>
      view.content.locator('html').evaluate((html: { dir: string }, dir) => {
        html.dir = dir;
      }, direction);
    await setDirection('rtl');
    assert.deepEqual(await tooWide(view), []);
    await workbench.screenshot('create - right to left');
    await setDirection('');
    // A side bar of 340 px has 170 CSS pixels at 200 % zoom.
    await view.resize(170);
    assert.deepEqual(await tooWide(view), []);
    await workbench.screenshot('create - 170 px');
  });

  it('animates nothing when reduced motion is set', async () => {
    await workbench.page.emulateMedia({ reducedMotion: 'reduce' });
    await view.tab('Video').waitFor();
    const moving = await view.content.locator('body').evaluate(movingElements);
    assert.deepEqual(moving, []);
  });

  describe('and of the library', () => {
    let library: CreateView;

    before(async () => {
      await workbench.page.setViewportSize({ width: 1440, height: 900 });
      library = await CreateView.openLibrary(workbench);
      await library.action('take 999', 'Show Details').click();
      await library.content.getByRole('region', { name: 'Details' }).getByText('SHA-256').waitFor();
    });

    for (const [index, [body, theme]] of Object.entries(themes).entries()) {
      it(`meets WCAG 2.1 AA in ${theme}`, async () => {
        await workbench.setTheme(theme);
        await library.content.locator(`body.${body}`).waitFor();
        assert.deepEqual(await violations(library, 'editor', index === 0 ? 'all' : 'ofColour'), []);
        assert.deepEqual(await tooWide(library), []);
        await workbench.screenshot(`library - ${theme}`);
      });
    }

    it('fits into half a window', async () => {
      await workbench.page.setViewportSize({ width: 900, height: 700 });
      const width = () => library.content.locator('html').evaluate((html: Page['documentElement']) => html.clientWidth);
      await eventually('the view has followed', async () => (await width()) < 900);
      await library.content.getByRole('region', { name: 'Details' }).waitFor();
      assert.deepEqual(await tooWide(library), []);
      await workbench.screenshot('library - 900 px');
    });
  });
});

/** Returns the box of an element that is not entirely inside the viewport; an empty string when it is. */
function hiddenPart(element: Locator): Promise<string> {
  return element.evaluate((box: Box) => {
    const { innerWidth, innerHeight } = globalThis as unknown as { innerWidth: number; innerHeight: number };
    const { left, top, right, bottom } = box.getBoundingClientRect();
    const isSeen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return isSeen ? '' : `${left}, ${top} to ${right}, ${bottom} of ${innerWidth} × ${innerHeight}`;
  });
}

/** Returns the elements that have a transition or an animation. Runs in the page. */
function movingElements({ ownerDocument }: { ownerDocument: Page }): readonly string[] {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle(element: Box): { transitionDuration: string; animationName: string };
  };
  return [...ownerDocument.querySelectorAll('body *')]
    .filter((element) => {
      const { transitionDuration, animationName } = getComputedStyle(element);
      return transitionDuration !== '0s' || animationName !== 'none';
    })
    .map(({ outerHTML }) => outerHTML.slice(0, 120));
}

interface Choice {
  readonly parentElement: { append(choice: Choice): void; readonly lastElementChild: Choice };
  readonly style: { cssText: string };
  value: string;
  cloneNode(isDeep: true): Choice;
  getBoundingClientRect(): { readonly top: number; readonly bottom: number; readonly width: number };
  remove(): void;
}

/** Returns how many pixels of what is chosen are cut off, and whether the last part of the line stands beside it. */
function cutOff(choice: Choice) {
  const { top, bottom, width } = choice.getBoundingClientRect();
  const end = choice.parentElement.lastElementChild.getBoundingClientRect();
  const copy = choice.cloneNode(true);
  copy.value = choice.value;
  copy.style.cssText = 'position: absolute; width: max-content; max-width: none';
  choice.parentElement.append(copy);
  const needed = copy.getBoundingClientRect().width;
  copy.remove();
  return { width: Math.max(0, Math.ceil(needed - width)), isInLine: end.top < bottom && top < end.bottom };
}
