// Prints the milliseconds in a real VS Code with 10,000 videos, from the change to the first row that shows it:
//   open   the library appears, as after a checkout, while the view is open (VS Code itself takes several times as
//          long to open a view for the first time, which is not ours to measure)
//   new    one more video is added to the library
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openVideos } from '../e2e/mediaViews.ts';
import { Workbench } from '../e2e/workbench.ts';
import { buildExtension } from '../host/buildExtension.ts';
import { videoRecord } from '../support/largeLibrary.ts';

const videos = 10_000;
const [, what] = process.argv.slice(2);
if (what !== 'open' && what !== 'new') throw new Error('Usage: videoTree.ts client open|new');

buildExtension();
const libraryFile = '.unified-media/library.jsonl';
const lines = Array.from({ length: videos }, (_, index) => `${JSON.stringify(videoRecord(index))}\n`);
const workbench = await Workbench.start({ isLean: false, files: { [libraryFile]: '' } });
const { page, folder } = workbench;

/** Measures the milliseconds from a change of the library until the row of this video is visible. */
async function shownAfter(change: (file: string) => void, index: number): Promise<number> {
  const row = page.getByRole('tree', { name: 'Videos' }).locator(`[aria-label*="take ${index},"]`);
  const start = performance.now();
  change(join(folder, libraryFile));
  await row.waitFor();
  return performance.now() - start;
}

try {
  await openVideos(workbench);
  await page.getByRole('button', { name: 'Add Video by ID…' }).last().waitFor();
  const open = await shownAfter((file) => writeFileSync(file, lines.join('')), videos - 1);
  const added = `${JSON.stringify(videoRecord(videos))}\n`;
  console.log(what === 'open' ? open : await shownAfter((file) => appendFileSync(file, added), videos));
} finally {
  await workbench.stop();
}
