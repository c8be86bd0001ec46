import assert from 'node:assert/strict';
import { CreateView } from './createView.ts';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

const names = ['Create', 'Videos', 'Activity', 'Assets'];

/**
 * VS Code gives each open tree at least 120 px below its header, whatever the weights say. With two trees open Create has
 * half of the height at this size.
 */
describe('the views of the container at 1280 × 760', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: { 'media.jsonc': '{ "assets": {} }\n' },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    const view = await CreateView.open(workbench);
    await view.field('Prompt').waitFor();
  });
  after(() => workbench?.stop());

  const pane = (name: string) => {
    const header = workbench.page.locator(`.pane-header[aria-label^="${name}"]`);
    return { header, whole: workbench.page.locator('.sidebar .pane', { has: header }) };
  };

  /** Returns the part of the height that Create has. */
  async function share(): Promise<number> {
    const boxes = await Promise.all(names.map((name) => pane(name).whole.boundingBox()));
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

  it('leave Create at least 60 % of the height: at first, and with any of the trees open', async () => {
    await pane('Assets').header.waitFor();
    assert((await share()) > 0.8);
    for (const name of names.slice(1)) {
      await toggle(name, true);
      await eventually(`${name} is open`, async () => ((await pane(name).whole.boundingBox())?.height ?? 0) > 100);
      const found = await share();
      assert(found >= 0.6, `${name}: ${found}`);
      await workbench.screenshot(`room - ${name}`);
      await toggle(name, false);
      await eventually(`${name} is closed`, async () => ((await pane(name).whole.boundingBox())?.height ?? 0) < 40);
    }
  });
});
