import { encode } from 'fast-png';
import { CreateView } from './createView.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

story('a result that is not what was asked for', () => {
  let workbench: Workbench;

  before(async () => {
    const record = {
      file: 'media/images/a-fox.png',
      kind: 'images',
      operation: 'generateImage',
      model: 'm',
      prompt: 'A fox',
      mediaType: 'image/png',
      createdAt: '2026-11-24T03:00:00.000Z',
      jobId: 'job-1',
      values: { size: '1536x1024' },
      differs: [{ field: 'size', asked: '1536x1024', got: '256x256' }],
    };
    const pixels = new Uint8Array(256 * 256 * 3).fill(120);
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: {
        '.unified-media/library.jsonl': `${JSON.stringify(record)}\n`,
        'media/images/a-fox.png': encode({ width: 256, height: 256, data: pixels, channels: 3 }),
      },
    });
  });

  after(() => workbench?.stop());

  it('says so on its tile and in its details', async () => {
    const difference = 'size is 256x256 instead of 1536x1024';
    const view = await CreateView.open(workbench);
    await view.content.locator('.tile').getByText(difference, { exact: true }).waitFor();
    await workbench.screenshot('differs - tile');
    const library = await CreateView.openLibrary(workbench);
    await library.action('A fox', 'Show Details').click();
    const sentence = `The result is not what was asked for: ${difference}.`;
    await library.content.getByRole('region', { name: 'Details' }).getByText(sentence).waitFor();
    await workbench.screenshot('differs - details');
  });
});
