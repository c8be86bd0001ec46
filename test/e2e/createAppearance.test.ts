import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { CreateView } from './createView.ts';
import type { Theme } from './workbench.ts';
import { Workbench } from './workbench.ts';

const tabs = ['Image', 'Edit Image', 'Speech', 'Transcribe', 'Translate', 'Video', 'Animate Image', 'Remix'];

/** By the class that VS Code gives a webview's body. */
const themes = {
  'vscode-light': 'Light 2026',
  'vscode-dark': 'Dark 2026',
  'vscode-high-contrast': 'Default High Contrast',
  'vscode-high-contrast-light': 'Default High Contrast Light',
} as const satisfies Readonly<Record<string, Theme>>;

const hostile = `<img src=x onerror="document.title='evil'"><b>bold</b> ‮שלום‬ 🦊👩‍👩‍👧 ${'unbroken'.repeat(40)}`;

describe('the look of the Create view', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    workbench = await Workbench.start({ machineSettings: { 'unifiedMedia.service': 'sandbox' } });
    view = await CreateView.open(workbench);
    await view.type('Prompt', 'A fox in the snow');
    await view.submit();
    await view.whenMade('media/images/a-fox-in-the-snow.png', 'A fox in the snow');
    await view.choose('Speech');
    await view.type('Text', 'The lamps come on.');
    await view.submit();
    await view.whenMade('media/speech/the-lamps-come-on.mp3', 'The lamps come on.');
    await view.choose('Transcribe');
    await view.type('Audio file', 'media/speech/the-lamps-come-on.mp3');
    await view.submit();
    await view.whenMade('media/transcripts/the-lamps-come-on.md', 'the-lamps-come-on.md');
    await view.choose('Video');
    await view.type('Prompt', 'A fox runs');
    await view.submit();
    await view.whenMade('media/videos/a-fox-runs.mp4', 'A fox runs');
    // Things that are there but rarely: a chosen file, a wrong field, and a failure.
    await view.choose('Edit Image');
    await view.type('Images', 'media/images/a-fox-in-the-snow.png');
    await workbench.page.keyboard.press('Enter');
    await view.button('Remove a-fox-in-the-snow.png').waitFor();
    await view.choose('Animate Image');
    await view.type('Image', 'no-such.png');
    await workbench.page.keyboard.press('Enter');
    await view.alert.filter({ hasText: 'no-such.png does not exist.' }).waitFor();
  });

  after(() => workbench?.stop());

  for (const [body, theme] of Object.entries(themes)) {
    for (const width of [200, 600]) {
      it(`has no barrier (WCAG 2.1 AA) in ${theme} at ${width} px`, async () => {
        await workbench.setTheme(theme);
        await view.content.locator(`body.${body}`).waitFor();
        await view.resize(width);
        for (const tab of tabs) {
          await view.tab(tab).click();
          await view.content.locator('[role=tab][aria-selected=true]').filter({ hasText: tab }).waitFor();
          assert.deepEqual(await violations(view), [], tab);
          assert.deepEqual(await tooWide(view), [], `${tab} is wider than the view`);
          await workbench.screenshot(`create - ${tab}, ${theme}, ${width} px`);
        }
        await view.result('the-lamps-come-on.md').getByRole('button', { name: 'Open' }).scrollIntoViewIfNeeded();
        await workbench.screenshot(`create - results, ${theme}, ${width} px`);
      });
    }
  }

  it('gives every control a name and shows where the focus is, all the way through', async () => {
    const controls = view.content.locator('button, input, select, textarea, audio, video');
    for (const control of await controls.all()) {
      const snapshot = await control.ariaSnapshot();
      const isMedia = (await control.getAttribute('controls')) !== null;
      if (isMedia) assert(await control.getAttribute('aria-label'));
      else assert.match(snapshot, /^- (button|tab|textbox|combobox|spinbutton) "[^"]+"/);
    }
    await view.choose('Image');
    await view.tabTo(view.results.getByRole('button', { name: 'Insert at Cursor' }).last());
  });

  it('takes text from outside as text, however odd or long', async () => {
    await view.resize(200);
    await view.choose('Image');
    await view.type('Prompt', hostile);
    await view.submit();
    const result = view.result('onerror');
    await result.getByRole('button', { name: 'Open' }).waitFor();
    assert.equal(await view.content.locator('b, img[src=x]').count(), 0);
    assert.deepEqual(await tooWide(view), []);
    await workbench.screenshot('create - hostile text');
    await view.type('Prompt', `🦊 ${'word '.repeat(20_000)}`);
    await view.button('Generate').waitFor();
    assert.deepEqual(await tooWide(view), []);
    const height = await view.field('Prompt').evaluate(({ clientHeight }: { clientHeight: number }) => clientHeight);
    assert(height < 400, `${height} px high`);
  });

  it('moves nothing for those who want no motion', async () => {
    await workbench.page.emulateMedia({ reducedMotion: 'reduce' });
    await view.tab('Video').waitFor();
    const moving = await view.content.locator('body').evaluate(movingElements);
    assert.deepEqual(moving, []);
  });
});

/** The rules of WCAG 2.1 A and AA that are broken, and where. */
async function violations(view: CreateView): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const body = view.content.locator('body');
  // The document's policy forbids its own scripts more, but not the browser's tools.
  await body.evaluate(`(() => { if (!globalThis.axe) { ${axe} } })()`);
  // The view has no background of its own: the window's part behind it, which axe cannot see, shows through.
  await body.evaluate(({ style }: { style: { background: string } }) => {
    style.background = 'var(--vscode-sideBar-background)';
  });
  const { violations } = await body.evaluate<AxeResults, unknown>(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    }),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** What reaches out of the view to the side. */
function tooWide(view: CreateView): Promise<readonly string[]> {
  return view.content.locator('body').evaluate(({ ownerDocument }: { ownerDocument: Page }) => {
    const width = ownerDocument.documentElement.clientWidth;
    const all = [...ownerDocument.querySelectorAll('body *')];
    return all
      .filter((element) => element.getBoundingClientRect().right > width + 0.5 && !element.closest('.unseen'))
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
}

interface Box {
  readonly outerHTML: string;
  getBoundingClientRect(): { readonly right: number };
  closest(selector: string): unknown;
}

interface Page {
  readonly documentElement: { readonly clientWidth: number };
  querySelectorAll(selector: string): Iterable<Box>;
}

/** What has a transition or an animation of any length. Runs in the page. */
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
