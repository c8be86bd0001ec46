import assert from 'node:assert/strict';
import {
  askedSince,
  changedFilter,
  isBeyondFirstLine,
  isHidden,
  letsAllPass,
  noFilter,
  positionOf,
  withoutLimits,
  withPage,
} from '../../../src/webview/feed/filtering.ts';
import type { FeedItem, JobCard, LibraryPart } from '../../../src/webview/protocol/messages.ts';

function card(changes: Partial<JobCard> = {}): JobCard {
  return {
    id: 'job',
    run: 'job',
    kind: 'images',
    title: 'Generate Image',
    words: 'A Fox in the snow',
    model: 'painter',
    files: 1,
    createdAt: '2026-03-01T10:00:00.000Z',
    state: 'running',
    message: 'starting',
    actions: [],
    position: 0,
    ...changes,
  };
}

function itemOf(createdAt: string): FeedItem {
  return {
    id: 'one',
    jobId: 'job',
    kind: 'images',
    name: 'fox.png',
    isMissing: false,
    title: 'Generate Image',
    model: 'painter',
    sandbox: false,
    createdAt,
    canRemix: false,
    hasVideoId: false,
  };
}

function libraryWith(createdAt: string): LibraryPart {
  const item = itemOf(createdAt);
  return { revision: 1, total: 1, models: [], isRead: true, first: [item] };
}

describe('the filter of the results', () => {
  it('opens the second line of its form for what only that line shows', () => {
    const beyond = [{ model: 'painter' }, { sandbox: false }, { sort: 'name' }, { group: 'day' }] as const;
    for (const one of beyond) assert(isBeyondFirstLine({ ...noFilter, ...one }), JSON.stringify(one));
    assert(!isBeyondFirstLine({ ...noFilter, words: 'fox', kind: 'images', starred: true }));
  });

  it('is the same object again when nothing is filtered', () => {
    const videos = changedFilter(noFilter, { kind: 'videos' });
    assert.equal(videos.kind, 'videos');
    assert.equal(changedFilter(videos, { kind: null }), noFilter);
  });

  it('keeps the order when it lets everything pass again', () => {
    const sorted = changedFilter(noFilter, { sort: 'name', group: 'day' });
    assert(sorted !== noFilter && letsAllPass(sorted));
    const limited = changedFilter(sorted, { words: 'fox' });
    assert(!letsAllPass(limited));
    assert.deepEqual(withoutLimits(limited), sorted);
    assert.equal(changedFilter(sorted, { sort: 'newest', group: 'none' }), noFilter);
  });

  it('hides jobs of another kind, another model and without its words', () => {
    assert.equal(isHidden(card(), noFilter), false);
    assert.equal(isHidden(card(), { ...noFilter, kind: 'speech' }), true);
    assert.equal(isHidden(card(), { ...noFilter, model: 'other' }), true);
    assert.equal(isHidden(card(), { ...noFilter, starred: true }), true);
    assert.equal(isHidden(card(), { ...noFilter, words: 'snow FOX' }), false);
    assert.equal(isHidden(card(), { ...noFilter, words: 'snow bear' }), true);
  });

  it('hides jobs of the service where only the sandbox is shown, and the other way round', () => {
    assert.equal(isHidden(card(), { ...noFilter, sandbox: true }), true);
    assert.equal(isHidden(card(), { ...noFilter, sandbox: false }), false);
    assert.equal(isHidden(card({ sandbox: true }), { ...noFilter, sandbox: true }), false);
    assert.equal(isHidden(card({ sandbox: true }), { ...noFilter, sandbox: false }), true);
  });

  it('counts as asked for what is newer than the library, and what runs', () => {
    const library = libraryWith('2026-03-01T12:00:00.000Z');
    assert.equal(askedSince(undefined, []), null);
    assert.equal(askedSince({ ...library, first: [] }, []), '');
    assert.equal(askedSince(library, [card({ state: 'failed' })]), '2026-03-01T12:00:00.000Z');
    const since = askedSince(library, [card()]) ?? '';
    assert(since < card().createdAt, 'results have the moment of their job');
    assert.equal(askedSince(library, [card({ createdAt: '2026-03-01T13:00:00.000Z' })]), '2026-03-01T12:00:00.000Z');
  });

  it('counts as asked for what comes from now on, though a clock that runs ahead has dated a result', () => {
    const ahead = libraryWith('2999-01-01T00:00:00.000Z');
    assert((askedSince(ahead, []) ?? '') <= new Date().toISOString());
  });

  describe('and the place of a job among the results', () => {
    const images = { ...noFilter, kind: 'images' } as const;
    const at = (hour: number): string => `2026-03-01T${hour}:00:00.000Z`;
    const results = [14, 13, 12, 11].map((hour) => itemOf(at(hour)));
    const failed = card({ state: 'failed', createdAt: at(12), position: 7 });

    it('puts a failure below the results that are newer', () => {
      assert.equal(
        positionOf(failed, noFilter, () => undefined),
        7,
      );
      assert.equal(
        positionOf(failed, images, (index) => results[index]),
        2,
      );
      assert.equal(
        positionOf({ ...failed, createdAt: at(15), position: 0 }, images, (index) => results[index]),
        0,
      );
      assert.equal(
        positionOf({ ...failed, createdAt: at(10) }, images, (index) => results[index]),
        7,
        'at the end',
      );
    });

    it('puts a failure on the right side of what is loaded', () => {
      const lower = (index: number) => (index < 2 ? undefined : results[index]);
      const upper = (index: number) => (index < 2 ? results[index] : undefined);
      assert.equal(positionOf(failed, images, lower), 2);
      assert.equal(positionOf(failed, images, upper), 7);
    });

    it('puts what runs first, and everything where the results are not in the order of time', () => {
      const itemAt = (index: number) => results[index];
      assert.equal(positionOf({ ...failed, state: 'running' }, images, itemAt), 0);
      for (const filter of [{ ...images, sort: 'name' } as const, { ...images, group: 'day' } as const])
        assert.equal(positionOf(failed, filter, itemAt), 0);
    });
  });
});

describe('the pages of the results', () => {
  const filter = changedFilter(noFilter, { words: 'fox' });
  const reply = (revision: number) => ({ revision, total: 300, items: [], headings: [] });

  it('that are visible stay until those of the next revision are there, and are known to be older', () => {
    const first = withPage(withPage(undefined, filter, 0, reply(6), [0, 1]), filter, 3, reply(6), [0, 1]);
    const { pages } = withPage(first, filter, 1, reply(7), [0, 1]);
    assert.deepEqual(
      [...pages].map(([page, { revision }]) => [page, revision]),
      [
        [0, 6],
        [1, 7],
      ],
    );
  });

  it('of another filter do not stay', () => {
    const other = withPage(undefined, noFilter, 0, reply(6), [0]);
    assert.deepEqual([...withPage(other, filter, 1, reply(6), [0, 1]).pages.keys()], [1]);
  });
});
