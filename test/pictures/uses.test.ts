// The pictures of the README, one for each use.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateView } from '../e2e/createView.ts';
import { eventually } from '../e2e/eventually.ts';
import type { Workbench } from '../e2e/workbench.ts';
import { startMediaService } from '../support/mediaService.ts';
import { openProject, project, takePicture, takeQuietPicture } from './takePicture.ts';

const boats = `# Boats in the harbour

Four boats still leave before dawn, and come back when the market opens.

![A fishing boat leaves the harbour at dawn](/img/boat.png)

On the quay the gulls are waiting already.

![The fish market in the morning](/img/market.png)
`;

const guide = `# The lighthouse

Every evening the keeper climbs the stairs, **one hundred and twelve** of them, and lights the lamp.

Then the ships know where the rocks are, and where [the harbour](https://example.com) is.

In 1871, on the day it was finished, the whole town came to see it.
`;

const manifest = `{
  "defaults": { "generateImage": { "model": "sandbox-1" }, "speak": { "model": "sandbox-1", "voice": "nova" } },
  "style": "flat, two colours",
  "assets": {
    "static/img/hero.png": { "operation": "generateImage", "prompt": "A harbour at dawn", "size": [640, 360] },
    "static/img/hero.webp": { "from": "static/img/hero.png", "size": [320, 180] },
    "static/guide.mp3": { "operation": "speak", "document": "guide.md" }
  }
}
`;

const sandbox = { 'unifiedMedia.service': 'sandbox' };

describe('the picture', () => {
  let workbench: Workbench | undefined;

  // Not after each: what a failed test shows is saved first.
  const close = async () => {
    await workbench?.stop();
    workbench = undefined;
  };
  beforeEach(close);
  after(close);

  const lens = ({ page }: Workbench, text: string) => page.locator('.codelens-decoration').getByText(text);

  it('of connecting a service', async () => {
    workbench = await openProject();
    const view = await CreateView.open(workbench);
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await workbench.pick('Select a walkthrough to open', 'Make Media in VS Code');
    await workbench.page.getByText('Choose a Service').first().waitFor();
    await view.resize(300);
    await view.type('Address', 'https://media.example.com');
    await view.type('Key', 'not a real key');
    // The border that was dragged is highlighted as long as the mouse is on it.
    await workbench.page.mouse.move(900, 700);
    await takePicture(workbench, 'readme/connect');
  });

  it('of missing media', async () => {
    workbench = await openProject({
      files: { 'docusaurus.config.js': 'export default {};\n', 'docs/boats.md': boats },
      machineSettings: { ...sandbox, 'unifiedMedia.missingMedia': 'warning' },
    });
    const { page } = workbench;
    await workbench.openFile('docs/boats.md');
    await workbench.runCommand('Notifications: Clear All Notifications');
    const marks = page.locator('.monaco-editor .squiggly-warning');
    await eventually('each reference is marked', async () => (await marks.count()) >= 2);
    const fixes = page.locator('.action-widget .monaco-list-row.action').filter({ hasText: 'Generate static' });
    await eventually('the quick fixes are open', async () => {
      await page.locator('.monaco-editor .view-line').filter({ hasText: 'boat.png' }).first().click({ force: true });
      await page.keyboard.press('ControlOrMeta+.');
      return fixes.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await takePicture(workbench, 'readme/missing');
    await takePicture(workbench, 'walkthrough/missing');
  });

  it('of a narrated document', async () => {
    workbench = await openProject({ files: { 'guide.md': guide }, machineSettings: sandbox });
    const { page } = workbench;
    await workbench.openFile('guide.md');
    await workbench.runCommand('Media: Narrate Document');
    const saved = await workbench.notification('Saved guide.mp3');
    await saved.getByRole('button', { name: 'Insert Player' }).click();
    await lens(workbench, 'Narration: up to date · Play').waitFor();
    await page.locator('.monaco-editor .view-line').filter({ hasText: 'In 1871' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' A brass band played.');
    await lens(workbench, 'paragraphs out of date').waitFor();
    await workbench.runCommand('Markdown: Open Preview to the Side');
    await workbench.webview('.markdown-body audio');
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await takeQuietPicture(workbench, 'readme/narration');
  });

  it('of a pasted recording', async () => {
    const recording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));
    workbench = await openProject({
      files: { 'notes.md': '# Stand-up\n\nWhat we said this morning:\n\n', 'stand-up.m4a': recording },
      machineSettings: sandbox,
    });
    const { page } = workbench;
    await page.getByRole('treeitem', { name: 'stand-up.m4a' }).click();
    await workbench.editorTab('stand-up.m4a');
    await page.keyboard.press('ControlOrMeta+c');
    await workbench.openFile('notes.md');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await page.locator('.view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ControlOrMeta+v');
    await page.locator('.post-edit-widget').waitFor();
    await page.locator('.post-edit-widget').click();
    await page.getByText('Insert Player and Transcript').waitFor();
    await takePicture(workbench, 'readme/recording');
  });

  it('of assets as code', async () => {
    const openWorkbench = await openProject({
      files: { 'media.jsonc': manifest, 'guide.md': guide },
      machineSettings: sandbox,
    });
    workbench = openWorkbench;
    await workbench.openFile('media.jsonc');
    const apply = workbench.page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true });
    // A lens that is redrawn at that moment takes no click.
    await eventually('the dialog is open', async () => {
      if (!(await apply.isVisible())) await lens(openWorkbench, 'Apply…').click();
      return apply.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await apply.click();
    await workbench.notification('3 assets were made.');
    await lens(workbench, 'Nothing to send.').waitFor();
    // As when another branch is checked out.
    writeFileSync(join(workbench.folder, project, 'media.jsonc'), manifest.replace('at dawn', 'at dusk'));
    await lens(workbench, 'stale: prompt changed').waitFor();
    await workbench.runCommand('Media: Focus on Assets View');
    await workbench.page.getByRole('tree', { name: 'Assets' }).getByRole('treeitem').first().waitFor();
    await takeQuietPicture(workbench, 'readme/assets');
    await takeQuietPicture(workbench, 'walkthrough/assets');
  });

  it('of the question before an agent spends more than its budget', async () => {
    const service = await startMediaService();
    try {
      workbench = await openProject({
        files: { 'guide.md': guide },
        moreExtensions: [join(import.meta.dirname, '../e2e/agentExtension')],
        userSettings: { 'unifiedMedia.agents.budget': { images: 0, videos: 0, characters: 0, minutes: 0 } },
        machineSettings: {
          'unifiedMedia.imageBaseUrl': service.origin,
          'unifiedMedia.models': { generateImage: ['image-1'] },
        },
      });
      await workbench.runCommand('Media: Set API Key…');
      await workbench.answerInput('Paste the key', 'not-a-real-key');
      await workbench.notification('The API key is set.');
      await workbench.runCommand('Notifications: Clear All Notifications');
      await workbench.openFile('guide.md');
      await workbench.runCommand('Agent Tests: Generate an Image');
      await workbench.dialog('Generate Image (Chat): 1 image with “image-1”?');
      await takePicture(workbench, 'readme/agents');
    } finally {
      await service[Symbol.asyncDispose]();
    }
  });
});
