import assert from 'node:assert/strict';
import { arrangeResults } from '../../../../src/features/create/arrangeResults.ts';
import type { LibraryEntry } from '../../../../src/library/LibraryRecord.ts';

const results = [
  made('fox-10.png', '2026-03-02T12:00:00.000Z', 'a fox'),
  made('fox-9.png', '2026-03-02T12:00:00.000Z', 'a fox'),
  made('harbour.png', '2026-03-02T11:00:00.000Z', 'a harbour'),
  made('Boat.png', '2026-03-01T12:00:00.000Z', 'a boat'),
  made('fox.png', '2026-03-01T11:00:00.000Z', 'a fox'),
];

function made(file: string, createdAt: string, prompt: string): { readonly entry: LibraryEntry } {
  const facts = { kind: 'images', operation: 'generateImage', model: 'm' } as const;
  return { entry: { ...facts, id: file, file: `media/${file}`, createdAt, prompt, jobId: createdAt } };
}

function shown(sort: 'newest' | 'oldest' | 'name', group: 'none' | 'day' | 'request') {
  const arranged = arrangeResults(results, { sort, group });
  const files = arranged.results.map(({ entry }) => entry.file?.slice('media/'.length));
  return { files, groups: arranged.groups.map(({ from, isMixed }) => (isMixed ? `${from} mixed` : `${from}`)) };
}

describe('the order of the results', () => {
  it('is by time or by name, and the results of one request keep theirs', () => {
    assert.equal(arrangeResults(results, { sort: 'newest', group: 'none' }).results, results);
    assert.deepEqual(shown('oldest', 'none').files, ['fox.png', 'Boat.png', 'harbour.png', 'fox-10.png', 'fox-9.png']);
    assert.deepEqual(shown('name', 'none').files, ['Boat.png', 'fox-9.png', 'fox-10.png', 'fox.png', 'harbour.png']);
    assert.deepEqual(shown('name', 'none').groups, []);
  });

  it('is by day, and inside a day as it was chosen', () => {
    const { files, groups } = shown('name', 'day');
    assert.deepEqual(files, ['fox-9.png', 'fox-10.png', 'harbour.png', 'Boat.png', 'fox.png']);
    assert.deepEqual(groups, ['0', '3']);
    assert.deepEqual(shown('oldest', 'day').files[0], 'fox.png');
  });

  it('keeps all results of a prompt together, and those of other requests in groups of single results', () => {
    const { files, groups } = shown('newest', 'request');
    assert.deepEqual(files, ['fox-10.png', 'fox-9.png', 'fox.png', 'harbour.png', 'Boat.png']);
    assert.deepEqual(groups, ['0', '3 mixed']);
    assert.deepEqual(shown('oldest', 'request').groups, ['0 mixed', '2']);
    assert.deepEqual(arrangeResults([], { sort: 'name', group: 'request' }), { results: [], groups: [] });
  });
});
