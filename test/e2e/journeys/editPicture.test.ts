import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { quarterColours, quartersPng } from '../../support/patterns.ts';
import { story } from '../story.ts';
import { Workbench } from '../workbench.ts';

story('a recording and a picture of the folder', () => {
  let workbench: Workbench;
  let content: Frame;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox', 'explorer.autoReveal': false },
      files: { 'standup.wav': wavBytes, 'img/hero.png': quartersPng(900, 600) },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
  });

  after(async () => workbench?.stop());

  const field = (name: string): Locator => content.getByLabel(name, { exact: true });
  const areaIs = (text: string) => content.locator(`[role=slider][aria-valuetext="${text}"]`).waitFor();
  const resultIs = (text: string) => content.getByRole('region', { name: 'Result' }).getByText(text).first().waitFor();

  async function typeInto(name: string, value: string): Promise<void> {
    await field(name).fill(value);
    await field(name).press('Enter');
  }

  it('transcribes the recording from its menu', async () => {
    await workbench.openFileMenu(['standup.wav']);
    await workbench.screenshot('menu - recording');
    await workbench.chooseInMenu('Transcribe Audio…');
    await workbench.editorTab('standup.md');
    await workbench.screenshot('menu - transcript');
    const transcript = readFileSync(join(workbench.folder, 'media/transcripts/standup.md'), 'utf8');
    assert.match(transcript, /^---\nsource: "standup\.wav"\n/);
    assert.match(transcript, /\(\.\.\/\.\.\/standup\.wav\)/);
  });

  it('opens the active picture in the image editor and selects all of it', async () => {
    await workbench.openFile('img/hero.png');
    await workbench.runCommand('Media: Resize, Crop or Convert Image…');
    content = await workbench.webview('#image-editor .crop');
    await areaIs('left 0, top 0, 900 × 600 pixels');
    await resultIs('900 × 600 pixels');
    await content.locator('.measured').getByText('kB').waitFor();
  });

  it('crops and converts it by numbers, and saves the preview beside the source', async () => {
    await field('Aspect ratio').selectOption({ label: 'Free' });
    for (const [name, value] of [
      ['Crop width', '400'],
      ['Crop height', '200'],
      ['Left', '460'],
      ['Top', '310'],
    ] as const)
      await typeInto(name, value);
    await areaIs('left 460, top 310, 400 × 200 pixels');
    await typeInto('Width', '200');
    await resultIs('200 × 100 pixels');
    await field('Format').selectOption({ label: 'WebP' });
    await content.getByLabel(/^Quality/).fill('90');
    await content.getByRole('button', { name: 'Save as New File' }).click();
    await content.getByRole('status').getByText('Saved hero.webp').waitFor();
    const { width, height, data } = await decodePicture(readFileSync(join(workbench.folder, 'img/hero.webp')), {
      maxPixels: 10_000_000,
    });
    assert.deepEqual([width, height], [200, 100]);
    // The area is inside the lower right quarter.
    const [red = 0, green = 0, blue = 0] = quarterColours[3] ?? [];
    for (const at of [0, data.length - 4]) {
      const distance = Math.max(
        ...[red, green, blue].map((value, channel) => Math.abs(value - (data[at + channel] ?? 0))),
      );
      assert(distance < 12, `${data.subarray(at, at + 4)}`);
    }
    await content.getByRole('button', { name: 'Open', exact: true }).click();
    await workbench.editorTab('hero.webp');
    await workbench.editorTab('Change hero.png').then((tab) => tab.click());
    content = await workbench.webview('#image-editor .crop');
    // The tab has kept its settings.
    await areaIs('left 460, top 310, 400 × 200 pixels');
    await resultIs('200 × 100 pixels');
    assert.equal(await field('Format').inputValue(), 'webp');
  });
});
