import assert from 'node:assert/strict';
import { isRunning, type Job, JobList, type JobState } from '../../../src/work/Job.ts';
import { imageJob } from '../../support/jobRunner.ts';

/** A job that was started this many seconds after the first. */
function job(seconds: number, state: JobState): Job {
  const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
  const id = `${state}-${seconds}`;
  return { ...imageJob('/root'), id, key: id, createdAt, state, assets: {}, hasAnswer: false };
}

const ids = (list: JobList) => list.all.map(({ id }) => id);

describe('JobList', () => {
  it('lists the newest job first', () => {
    const list = new JobList();
    for (const seconds of [2, 1, 3]) list.set(job(seconds, 'failed'));
    assert.deepEqual(ids(list), ['failed-3', 'failed-2', 'failed-1']);
  });

  it('forgets the oldest of more than 100 done jobs, and no others', () => {
    const list = new JobList();
    for (const state of ['failed', 'unknown', 'waiting'] as const) list.set(job(0, state));
    for (let seconds = 1; seconds <= 102; seconds++) list.set(job(seconds, 'done'));
    assert.deepEqual(ids(list).slice(98).sort(), ['done-3', 'done-4', 'failed-0', 'unknown-0', 'waiting-0'].sort());
  });

  it('distinguishes running jobs from ended ones (isRunning)', () => {
    for (const state of ['queued', 'sending', 'waiting', 'downloading', 'saving'] as const) {
      assert.equal(isRunning({ state }), true, state);
    }
    for (const state of ['done', 'failed', 'cancelled', 'unknown'] as const) {
      assert.equal(isRunning({ state }), false, state);
    }
  });
});
