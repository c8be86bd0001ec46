import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { quartersPng } from '../support/patterns.ts';
import { tooWide, violations } from './barriers.ts';
import { eventually, succeeds } from './eventually.ts';
import { story } from './story.ts';
import { type Theme, Workbench } from './workbench.ts';

/** Themes by the class that VS Code sets on the body of a webview. */
const themes = {
  'vscode-light': 'Light 2026',
  'vscode-high-contrast': 'Default High Contrast',
  'vscode-high-contrast-light': 'Default High Contrast Light',
  'vscode-dark': 'Dark 2026',
} as const satisfies Readonly<Record<string, Theme>>;

/** The globals of a webview that a script uses; the DOM types are not available here. */
interface Globals {
  readonly navigator: {
    readonly serviceWorker?: { addEventListener(type: string, listen: (event: Passed) => void): void };
  };
}

interface Passed {
  readonly data: { readonly path?: string };
  stopImmediatePropagation(): void;
}

/** Runs in each new frame. Loses the first request for the script, as a service worker does that the browser ends. */
function loseScript(): void {
  let isLost = false;
  const { navigator } = globalThis as unknown as Globals;
  navigator.serviceWorker?.addEventListener('message', (event) => {
    if (isLost || !event.data.path?.endsWith('/imageEditor.js')) return;
    isLost = true;
    event.stopImmediatePropagation();
  });
}

/** The DOM types are not available here. */
interface Animated {
  getAnimations(): readonly { readonly effect: { getTiming(): { readonly duration: number } }; finish(): void }[];
}

/** Ends the animations of an element, and returns how long they take, in milliseconds. Runs in the page. */
function endAnimations(element: Animated): readonly number[] {
  return element.getAnimations().map((animation) => {
    animation.finish();
    return animation.effect.getTiming().duration;
  });
}

const record = {
  file: 'img/hero.png',
  kind: 'images',
  operation: 'generateImage',
  model: 'sandbox-1',
  prompt:
    'A harbour at dawn, seen from the water, with [a link](command:evil), https://evil.example and evil@evil.example',
  createdAt: '2026-03-01T10:00:00.000Z',
  jobId: 'job-1',
};

story('the image editor', () => {
  let workbench: Workbench;
  let content: Frame;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: {
        'img/hero.png': quartersPng(900, 600),
        'guide.md': '# Guide\n\n![A harbour](img/hero.png)\n',
        '.unified-media/library.jsonl': `${JSON.stringify(record)}\n`,
      },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    await workbench.openFile('img/hero.png');
    await workbench.runCommand('Media: Resize, Crop or Convert Image…');
    content = await workbench.webview('#image-editor .crop');
    await areaIs('left 0, top 0, 900 × 600 pixels');
  });

  after(async () => workbench?.stop());

  const field = (name: string): Locator => content.getByLabel(name, { exact: true });
  const crop = (): Locator => content.getByRole('slider', { name: /^Crop area/ });
  const areaIs = (text: string) =>
    eventually(`the area is ${text}`, async () => (await crop().getAttribute('aria-valuetext')) === text);

  it('applies a ratio, and moves and resizes the area by mouse and keyboard', async () => {
    await field('Aspect ratio').selectOption({ label: '1:1 (square)' });
    await areaIs('left 150, top 0, 600 × 600 pixels');
    await crop().focus();
    for (let press = 0; press < 10; press++) await workbench.page.keyboard.press('ArrowLeft');
    await areaIs('left 60, top 0, 600 × 600 pixels');
    for (let press = 0; press < 5; press++) await workbench.page.keyboard.press('Shift+ArrowLeft');
    await areaIs('left 60, top 0, 555 × 555 pixels');
    const box = await crop().boundingBox();
    assert(box);
    const { mouse } = workbench.page;
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await mouse.down();
    await mouse.move(box.x + box.width / 2 + 2000, box.y + box.height / 2 + 2000, { steps: 4 });
    await mouse.up();
    await areaIs('left 345, top 45, 555 × 555 pixels');
    const there = await crop().boundingBox();
    assert(there);
    await mouse.move(there.x + 4, there.y + 4);
    await mouse.down();
    await mouse.move(there.x + 4 + there.width / 2, there.y + 4 + there.height / 2, { steps: 4 });
    await mouse.up();
    await eventually('the area has half its width', async () => {
      const text = (await crop().getAttribute('aria-valuetext')) ?? '';
      const [left = 0, top = 0, width = 0, height = 0] = (text.match(/\d+/g) ?? []).map(Number);
      return width === height && Math.abs(width - 278) < 6 && left + width === 900 && top + height === 600;
    });
  });

  for (const [index, [body, theme]] of Object.entries(themes).entries()) {
    it(`meets WCAG 2.1 AA in ${theme} and fits`, async () => {
      await workbench.setTheme(theme);
      await content.locator(`body.${body}`).waitFor();
      await field('Aspect ratio').selectOption({ label: '16:9' });
      await crop().focus();
      assert.deepEqual(await violations({ content }, 'editor', index === 0 ? 'all' : 'ofColour'), []);
      assert.deepEqual(await tooWide({ content }), []);
      await workbench.screenshot(`image editor - ${theme}`);
    });
  }

  it('fits into a narrow window', async () => {
    const { page } = workbench;
    await workbench.runCommand('View: Close Primary Side Bar');
    await page.setViewportSize({ width: 360, height: 760 });
    const boxes = () =>
      Promise.all(['.stage', '.edit-form'].map((selector) => content.locator(selector).boundingBox()));
    await eventually('the form is below the picture, in one column', async () => {
      const [picture, form] = await boxes();
      return picture && form && picture.width < 360 && picture.y + picture.height <= form.y;
    });
    assert(((await crop().boundingBox())?.width ?? 0) > 200);
    assert.deepEqual(await tooWide({ content }), []);
    assert.deepEqual(await violations({ content }, 'editor'), []);
    await workbench.screenshot('image editor - narrow');
    await content.getByRole('button', { name: 'Save Favicon Set' }).scrollIntoViewIfNeeded();
    await workbench.screenshot('image editor - narrow, below');
    await page.setViewportSize({ width: 1280, height: 760 });
  });

  it('shows a picture that another program replaced, before it saves a version of it', async () => {
    await writeFile(join(workbench.folder, 'img/hero.png'), quartersPng(600, 300));
    await content.getByRole('button', { name: 'Save as New File' }).click();
    await areaIs('left 0, top 0, 600 × 300 pixels');
    await content.getByRole('alert').getByText('hero.png has changed and is shown as it is now.').waitFor();
    await content.getByRole('button', { name: 'Save as New File' }).click();
    await content.getByRole('status').getByText('Saved hero-2.png').waitFor();
  });

  describe('and the hover on a reference to its picture', () => {
    const hover = () => workbench.page.locator('.monaco-hover:visible').filter({ hasText: 'A harbour at dawn' });

    async function show(): Promise<void> {
      await workbench.openFile('guide.md');
      const { keyboard } = workbench.page;
      await keyboard.press('ControlOrMeta+Home');
      for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'])
        await keyboard.press(key);
      await eventually('the hover shows', async () => {
        await workbench.runCommand('Show or Focus Hover');
        return (await hover().count()) > 0;
      });
    }

    /** Shows the hover again if it closes before the click. */
    async function clickLink(name: string): Promise<void> {
      await eventually(`${name} is clicked`, async () => {
        await show();
        return succeeds(hover().getByRole('link', { name }).click({ timeout: 10_000 }));
      });
    }

    it('shows how the file was made', async () => {
      // VS Code's own picture is a link without text.
      const links = async () => (await hover().getByRole('link').allInnerTexts()).filter(Boolean);
      const edit = hover().getByRole('link', { name: 'Edit' });
      // VS Code may close the hover or render it again at any moment.
      await eventually('the hover is complete', async () => {
        await show();
        if (!(await succeeds(hover().getByText('sandbox-1').waitFor({ timeout: 10_000 })))) return false;
        if ((await links()).join() !== 'Edit,Animate,Run Again,Show in Library') return false;
        return succeeds(edit.scrollIntoViewIfNeeded({ timeout: 10_000 }));
      });
      await workbench.screenshot('hover');
      await workbench.page.keyboard.press('Escape');
    });

    it('starts an edit of the picture', async () => {
      await clickLink('Edit');
      const view = await workbench.webview('.composer');
      await view.getByRole('button', { name: 'Edit Image' }).waitFor();
    });
  });

  it('says so when its script is lost twice, and starts when it is reloaded', async () => {
    // Each of the two scripts loses one request, in frames that are new.
    await using _ = await workbench.page.addInitScript(loseScript);
    await using _another = await workbench.page.addInitScript(loseScript);
    await workbench.runCommand('View: Close All Editors');
    await workbench.openFile('img/hero.png');
    await workbench.runCommand('Media: Resize, Crop or Convert Image…');
    const first = await workbench.webview('#image-editor .late');
    assert.equal(await first.locator('.late').isVisible(), false, 'not before it had time to start');
    // The view loads its document once more by itself before it says so.
    await eventually('it is loaded once more', async () => first.isDetached());
    content = await workbench.webview('#image-editor .late');
    const late = content.locator('.late');
    assert.equal(await late.isVisible(), false, 'not before it had time to start');
    // As after ten seconds.
    assert.deepEqual(await late.evaluate(endAnimations), [10_000]);
    await content.getByText('This view has not started.').waitFor();
    await workbench.screenshot('image editor - not started');
    assert.deepEqual(await violations({ content }, 'editor'), []);
    await content.getByRole('link', { name: 'Reload' }).click();
    content = await workbench.webview('#image-editor .crop');
    assert.equal(await content.locator('.late').count(), 0);
  });
});
