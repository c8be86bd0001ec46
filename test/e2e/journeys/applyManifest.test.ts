import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateView } from '../createView.ts';
import { clickUntil, eventually } from '../eventually.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

const assets = {
  'static/hero.png': {
    operation: 'generateImage',
    prompt: 'A harbour at dawn',
    model: 'sandbox-1',
    size: [320, 180],
    variants: 2,
  },
  'static/small.webp': { from: 'static/hero.png', size: [160, 90] },
};
const manifest = `${JSON.stringify({ assets }, undefined, 2)}\n`;

story('media.jsonc, by clicks', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      files: { 'media.jsonc': manifest },
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'unifiedMedia.openAfterSave': false },
    });
  });

  after(() => workbench.stop());

  const lens = (name: string) => workbench.page.locator('.codelens-decoration').getByText(name, { exact: true });

  it('shows the state above each entry and makes all assets with one click', async () => {
    await workbench.openFile('media.jsonc');
    await lens('Generate (1 request)').first().waitFor();
    await workbench.screenshot('manifest - lenses');
    await clickUntil(lens('Apply…'), workbench.page.getByRole('dialog').getByText('Send 1 request, 2 images?'));
    await workbench.page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click();
    await workbench.notification('2 assets were made.');
    await lens('Nothing to send.').waitFor();
    const lock = readFileSync(join(workbench.folder, 'media.lock.jsonl'), 'utf8');
    assert.equal(lock.trim().split('\n').length, 2);
    assert(existsSync(join(workbench.folder, 'static/small.webp')));
  });

  it('lists the assets by state', async () => {
    await workbench.runCommand('Media: Focus on Assets View');
    const tree = workbench.page.getByRole('tree', { name: 'Assets' });
    await tree.getByRole('treeitem', { name: 'fresh' }).waitFor();
    await workbench.screenshot('manifest - assets fresh');
    // Simulates a checkout of another branch.
    writeFileSync(join(workbench.folder, 'media.jsonc'), manifest.replace('harbour', 'port'));
    await lens('stale: prompt changed').waitFor();
    await tree.getByRole('treeitem', { name: /^static\/hero\.png/ }).waitFor();
    await workbench.screenshot('manifest - stale');
  });

  it('compares the variants of an asset, and uses the kept one', async () => {
    writeFileSync(join(workbench.folder, 'media.jsonc'), manifest);
    const hero = join(workbench.folder, 'static/hero.png');
    const before = readFileSync(hero);
    const tree = workbench.page.getByRole('tree', { name: 'Assets' });
    await tree.getByRole('treeitem', { name: /^fresh/ }).click();
    await tree.getByRole('treeitem', { name: /^static\/hero\.png/ }).click({ button: 'right' });
    await workbench.chooseInMenu('Choose Variant…');
    const library = await CreateView.at(workbench, 'tab');
    const dialog = library.content.getByRole('dialog', { name: 'Variants of static/hero.png' });
    const keep = (name: string) => dialog.locator('li').filter({ hasText: name }).getByRole('button');
    await keep('Variant 1, used now').waitFor();
    await workbench.screenshot('manifest - variants');
    await keep('Variant 2').click();
    await eventually('the other variant is used', async () => !readFileSync(hero).equals(before));
  });
});
