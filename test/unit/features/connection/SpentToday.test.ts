import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const { SpentToday } = await importWithEditor<typeof import('../../../../src/features/connection/SpentToday.ts')>(
  new URL('../../../../src/features/connection/SpentToday.ts', import.meta.url),
  { workspace: {} },
);

describe('what was spent today', () => {
  it('includes results in folders that were chosen while none was open', async () => {
    const made = { kind: 'images', operation: 'generateImage', model: 'painter', createdAt: new Date().toISOString() };
    const library = ({ path }: Uri) => {
      const reader = { entries: async () => [{ ...made, jobId: path, file: 'fox.png' }] };
      return { reader: () => reader, onDidChange: () => undefined };
    };
    const places = { chosen: Uri.file('/one'), libraryOf: library };
    const jobs = { all: [{ place: { root: 'file:///two', isChosen: true } }, { place: { root: 'file:///beside' } }] };
    const prices = { currency: '$', models: { painter: { image: 0.25 } } };
    const spent = new SpentToday({ prices }, places as never, jobs as never, () => undefined);
    assert.match((await spent.describe()) ?? '', /0\.5 /);
  });
});
