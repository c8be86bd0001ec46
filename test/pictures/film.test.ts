import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { CreateView } from '../e2e/createView.ts';
import type { Workbench } from '../e2e/workbench.ts';
import { Film } from './Film.ts';
import { openProject, picturePath } from './takePicture.ts';

const guide = `# Harbour Lights

When the last ferry has left, the lamps along the quay come on one by one.



The lighthouse at the end of the pier was built in 1871.
`;

/** Bytes; readers wait for it before they see what the extension does. */
const maxBytes = 1_500_000;

describe('the film of the README', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openProject({
      files: { 'guide.md': guide },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'explorer.autoReveal': false },
    });
  });

  after(() => workbench?.stop());

  it('generates an image and inserts it into a document', async () => {
    const { page } = workbench;
    await workbench.openFile('guide.md');
    await workbench.runCommand('Markdown: Open Preview to the Side');
    await workbench.webview('.markdown-body h1');
    await page.locator('.monaco-editor .view-line').first().click();
    for (const key of ['ControlOrMeta+Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key);
    }
    const view = await CreateView.open(workbench);
    await view.resize(300);
    await view.field('Prompt').click();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await view.field('Prompt').click();

    const film = await Film.start(page, { x: 640, y: 560 });
    await film.hold(1);
    await film.type('The harbour at dusk, lamps along the quay');
    await film.hold(0.4);
    await film.click(view.button('Generate Image'));
    const insert = view.action('The harbour at dusk', 'Insert at Cursor');
    while (!(await insert.count())) await film.hold(0.1);
    await view.result('The harbour at dusk').locator('img').waitFor();
    await film.hold(0.9);
    await view.result('The harbour at dusk').hover();
    await film.click(insert);
    const preview = await workbench.webview('.markdown-body img');
    await preview.locator('img').waitFor();
    await film.hold(3);

    const file = picturePath('readme/generate-and-insert.webp');
    const seconds = film.write(file, 1280);
    assert(seconds >= 6 && seconds <= 10, `${seconds} s`);
    assert(statSync(file).size <= maxBytes, `${statSync(file).size} bytes`);
  });
});
