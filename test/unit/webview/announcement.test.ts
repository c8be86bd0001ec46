import assert from 'node:assert/strict';
import { announcementOf as announced } from '../../../src/webview/announcement.ts';
import type { FeedItem, JobCard, LibraryPart } from '../../../src/webview/protocol/messages.ts';

function card(id: string, facts: Partial<JobCard> = {}): JobCard {
  return {
    id,
    run: id,
    kind: 'images',
    title: 'Generate Image',
    words: 'a fox',
    model: 'm',
    files: 1,
    createdAt: '2026-01-02T03:04:05Z',
    state: 'running',
    message: 'starting',
    actions: [],
    position: 0,
    ...facts,
  };
}

function libraryOf(jobId: string): LibraryPart {
  const item: FeedItem = {
    id: 'result',
    jobId,
    kind: 'images',
    name: 'fox.png',
    isMissing: false,
    title: 'Generate Image',
    model: 'm',
    sandbox: false,
    createdAt: '2026-01-02T03:04:05Z',
    canRemix: false,
    hasVideoId: false,
  };
  return { revision: 1, total: 1, models: ['m'], isRead: true, first: [item] };
}

describe('announcementOf', () => {
  const announcementOf = (last: readonly JobCard[], jobs: readonly JobCard[], library?: LibraryPart) =>
    announced(last, jobs, library, new Set());
  const failed = { state: 'failed', message: 'Cut off.' } as const;

  it('announces a second job with the same words while the first runs', () => {
    const next = announcementOf([card('1')], [card('2'), card('1')]);
    assert.deepEqual(next, { status: 'Started: Generate Image, a fox', alert: '' });
  });

  it('announces a job again whose failure is still shown', () => {
    const next = announcementOf([card('1', failed)], [card('2'), card('1', failed)]);
    assert.equal(next?.status, 'Started: Generate Image, a fox');
    assert.equal(announcementOf([card('1', failed)], [card('1')])?.status, next?.status);
  });

  it('announces a job once, from the sent request to its last part', () => {
    const steps = [[card('request')], [card('part 1', { run: 'request' })], [card('part 2', { run: 'request' })]];
    const said = steps.map((cards, index) => announcementOf(steps[index - 1] ?? [], cards)?.status);
    assert.deepEqual(said, ['Started: Generate Image, a fox', undefined, undefined]);
  });

  it('announces a result once it is in the library, and a failure at once', () => {
    assert.deepEqual(announcementOf([card('1')], [], libraryOf('1')), {
      status: 'Ready: Generate Image, a fox',
      alert: '',
    });
    assert.equal(announcementOf([card('1')], [], libraryOf('2')), undefined, 'its result is not there yet');
    assert.deepEqual(announcementOf([card('request')], [card('1', { run: 'request', ...failed })]), {
      status: '',
      alert: 'Failed: Generate Image. Cut off.',
    });
  });

  it('announces that a job is cancelled when it has ended, unless there is a result', () => {
    const cancelled = new Set(['1']);
    assert.equal(announced([card('1')], [card('1')], undefined, cancelled), undefined);
    const status = (library?: LibraryPart) => announced([card('1')], [], library, cancelled)?.status;
    assert.equal(status(), 'Cancelled: Generate Image, a fox');
    assert.equal(status(libraryOf('1')), 'Ready: Generate Image, a fox');
  });
});
