import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { manifestStore, pngWith } from '../support/markedFiles.ts';
import { CreateView } from './createView.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const record: LibraryRecord = {
  kind: 'images',
  operation: 'generateImage',
  model: 'painter',
  mediaType: 'image/png',
  createdAt: '2026-11-01T10:00:00.000Z',
  jobId: 'job-1',
};
const records: readonly LibraryRecord[] = [
  { ...record, file: 'media/images/harbour.png', prompt: 'A harbour', credentials: ['c2pa'] },
  {
    ...record,
    file: 'media/images/harbour-2.png',
    prompt: 'A smaller harbour',
    jobId: 'job-2',
    madeFrom: { file: 'media/images/harbour.png', sha256: 'abc' },
    credentials: 'lost',
    digitalSourceType: 'trainedAlgorithmicMedia',
  },
];

story('the marks of origin of a result', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start({
      machineSettings: { 'unifiedMedia.service': 'sandbox' },
      files: {
        ...Object.fromEntries(records.map(({ file = '' }) => [file, pngWith(['caBX', manifestStore()])])),
        '.unified-media/library.jsonl': records.map((one) => `${JSON.stringify(one)}\n`).join(''),
      },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
  });

  after(() => workbench?.stop());

  it('stand among its details', async () => {
    const library = await CreateView.openLibrary(workbench);
    const details = library.content.getByRole('region', { name: 'Details' });
    await library.action('A harbour', 'Show Details').click();
    await details.getByText('Content Credentials (present, not verified)').waitFor();
    await workbench.screenshot('marks - present');
    await library.action('harbour-2.png', 'Show Details').click();
    await details.getByText('made here without the credentials of its source, marked as made by AI').waitFor();
    await workbench.screenshot('marks - lost');
  });
});
