import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { pngBytes } from '../../support/mediaBytes.ts';
import { eventually, eventuallyEqual, succeeds } from '../eventually.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

const text = `# Boats in the harbour

![A harbour at dawn](/img/hero.jpg)

![](/img/boats.png)

![A ship that leaves the harbour](/img/ship.png)

![A harbour again](/img/hero.jpg)
`;

story('missing media of a document', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: {
        'docusaurus.config.js': 'export default {};\n',
        'docs/boats.md': text,
        'static/old/ship.png': pngBytes,
        // Docusaurus resolves pictures, but not the definitions of their addresses.
        'docs/pier.md': '# The pier\n\n![A pier in the fog][pier]\n\n[pier]: ./pier.png\n',
        'docs/pier.png': pngBytes,
      },
      machineSettings: {
        'unifiedMedia.service': 'sandbox',
        'unifiedMedia.missingMedia': 'warning',
        'workbench.colorTheme': 'Light 2026',
        'editor.minimap.enabled': false,
      },
    });
    await workbench.openFile('docs/boats.md');
  });

  after(() => workbench?.stop());

  const saved = (path: string) => join(workbench.folder, 'static', path);

  /** Places the cursor on a line and opens the quick fixes. */
  async function openFixes(line: string): Promise<Locator> {
    const fixes = workbench.page.locator('.action-widget');
    // A change of the diagnostics closes the menu again.
    await eventually('the quick fixes are open', async () => {
      await workbench.page.keyboard.press('Escape');
      await workbench.page.locator('.monaco-editor .view-line').filter({ hasText: line }).first().click();
      await workbench.page.keyboard.press('ControlOrMeta+.');
      return succeeds(fixes.locator('.monaco-list-row').first().waitFor({ timeout: 10_000 }));
    });
    return fixes;
  }

  /** Returns the titles of this extension's quick fixes. */
  async function titlesIn(fixes: Locator): Promise<readonly string[]> {
    const titles = await fixes.locator('.monaco-list-row.action .title').allInnerTexts();
    return titles.filter((title) => /^(?:Point|Generate|Correct|Move|Copy)/.test(title));
  }

  it('are marked, and the free fixes come first', async () => {
    const marks = workbench.page.locator('.monaco-editor .squiggly-warning');
    await eventually('each reference is marked', async () => (await marks.count()) >= 4);
    for (const theme of ['Light 2026', 'Dark 2026'] as const) {
      await workbench.setTheme(theme);
      await eventuallyEqual(
        async () => titlesIn(await openFixes('/img/ship.png')),
        [
          'Point to static/old/ship.png',
          'Generate static/img/ship.png from "A ship that leaves the harbour"',
          'Generate All 3 Missing…',
        ],
      );
      await workbench.screenshot(`missing - quick fixes, ${theme}`);
      await workbench.page.keyboard.press('Escape');
    }
  });

  it('are made after one confirmation that counts each file once, in the type of their names', async () => {
    await eventually('the quick fix is chosen', async () => {
      const fixes = await openFixes('/img/boats.png');
      const fix = fixes.locator('.monaco-list-row.action').filter({ hasText: 'Generate All 3 Missing…' });
      return succeeds(fix.click({ timeout: 10_000 }));
    });
    await workbench.quickInput('does not say what static/img/boats.png shows');
    const input = workbench.page.locator('.quick-input-widget:visible .quick-input-box input');
    await eventuallyEqual(() => input.inputValue(), 'Boats in the harbour');
    await workbench.screenshot('missing - prompt, Dark 2026');
    await workbench.answerInput('does not say', 'Boats at dusk');
    const dialog = await workbench.dialog('Generate 3 missing files?');
    await dialog.getByText('Prompt: A harbour at dawn').waitFor();
    await dialog.getByText('static/img/hero.jpg').first().waitFor();
    await workbench.screenshot('missing - confirmation, Dark 2026');
    await workbench.setTheme('Light 2026');
    await workbench.screenshot('missing - confirmation, Light 2026');
    await dialog.getByRole('button', { name: 'Generate', exact: true }).click();
    const marks = workbench.page.locator('.monaco-editor .squiggly-warning');
    await eventually('nothing is missing any more', async () => (await marks.count()) === 0);
    for (const name of ['img/hero.jpg', 'img/boats.png', 'img/ship.png']) assert(existsSync(saved(name)), name);
    assert.deepEqual([...readFileSync(saved('img/hero.jpg')).subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.equal(readFileSync(join(workbench.folder, 'docs/boats.md'), 'utf8'), text);
    await workbench.screenshot('missing - made, Light 2026');
    await workbench.openFile('static/img/hero.jpg');
    await workbench.webview('img');
    await workbench.screenshot('missing - the picture, Light 2026');
  });

  it('are there, but the site does not serve them: they are moved or copied to where it does, for free', async () => {
    await workbench.openFile('docs/pier.md');
    const marks = workbench.page.locator('.monaco-editor .squiggly-warning');
    await eventually('the reference is marked', async () => (await marks.count()) > 0);
    const titles = ['Move docs/pier.png to static/img', 'Copy docs/pier.png to static/img'];
    await eventuallyEqual(async () => titlesIn(await openFixes('./pier.png')), titles);
    await workbench.screenshot('missing - not served, Light 2026');
    await eventually('the quick fix is chosen', async () => {
      const fix = (await openFixes('./pier.png')).locator('.monaco-list-row.action').filter({ hasText: titles[1] });
      return succeeds(fix.click({ timeout: 10_000 }));
    });
    await eventually('nothing is marked any more', async () => (await marks.count()) === 0);
    assert.deepEqual(readFileSync(saved('img/pier.png')), Buffer.from(pngBytes));
    assert(existsSync(join(workbench.folder, 'docs/pier.png')));
    await workbench.page.locator('.monaco-editor .view-line').filter({ hasText: '/img/pier.png' }).first().waitFor();
    await workbench.screenshot('missing - served, Light 2026');
  });
});
