import assert from 'node:assert/strict';
import { CreateView } from './createView.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('a tile that is dragged into a document', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: { 'docs/guide.md': '# Guide\n\n\n' },
    });
  });

  after(() => workbench?.stop());

  it('becomes the reference that Insert at Cursor writes, with its prompt and an address that works', async () => {
    const { page } = workbench;
    await workbench.openFile('docs/guide.md');
    const view = await CreateView.open(workbench);
    await view.make('Image', 'A red buoy');
    const from = await view.result('A red buoy').boundingBox();
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
    await page.locator('.view-lines').getByText('![A red buoy](../media/images/a-red-buoy.png)').waitFor();
    await workbench.screenshot('tile - dropped');
  });
});
