import assert from 'node:assert/strict';
import { canRemix, type LibraryRecord } from '../../../src/library/LibraryRecord.ts';

describe('canRemix', () => {
  const video: LibraryRecord = {
    kind: 'videos',
    operation: 'generateVideo',
    model: 'm',
    createdAt: '2026-01-01T00:00:00.000Z',
    jobId: 'job-1',
    videoId: 'v-1',
  };

  it('accepts a sandbox video in the sandbox and a service video at the service', () => {
    assert.equal(canRemix(video, false), true);
    assert.equal(canRemix(video, true), false);
    assert.equal(canRemix({ ...video, sandbox: true }, true), true);
    assert.equal(canRemix({ ...video, sandbox: true }, false), false);
  });

  it('rejects a video without an id', () => {
    const { videoId: _, ...unnamed } = video;
    assert.equal(canRemix(unnamed, false), false);
  });
});
