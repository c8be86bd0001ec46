import assert from 'node:assert/strict';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import { JobList, type JobRecord } from '../../../src/work/Job.ts';
import type { JobRunner } from '../../../src/work/JobRunner.ts';
import { imageJob } from '../../support/jobRunner.ts';
import { JobActions, person } from '../../support/personInDialogs.ts';

describe('dismissing a job', () => {
  const key = 'a'.repeat(64);
  const unknown: JobRecord = {
    ...imageJob('/project'),
    id: 'job',
    key,
    createdAt: '2026-11-26T00:00:00.000Z',
    assets: {},
    hasAnswer: false,
    state: 'unknown',
    error: { kind: 'network', message: 'Cut off.', mayBeBilled: true },
  };

  beforeEach(() => {
    person.asked.length = 0;
    person.answer = undefined;
  });

  /** @returns whether a person's click removed the job, and how often they were asked */
  async function dismiss(job: JobRecord, caller: 'person' | 'program' = 'person') {
    const jobs = new JobList();
    jobs.set(job);
    const runner = {
      refresh: async () => undefined,
      dismiss: async (id: string) => jobs.remove(id),
    } as unknown as JobRunner;
    const actions = new JobActions(runner, () => assert.fail('sent'), { jobs } as RunParts);
    assert.equal(await actions.dismiss(job.id, caller), jobs.get(job.id) === undefined);
    return [jobs.get(job.id) === undefined, person.asked.length];
  }

  it('asks before a request that may be billed is forgotten, so that it could be sent again unasked', async () => {
    assert.deepEqual(await dismiss(unknown), [false, 1]);
    assert.match(person.asked[0]?.detail ?? '', /may be billed again/);
    person.answer = 'Dismiss';
    assert.deepEqual(await dismiss(unknown), [true, 2]);
  });

  it('asks nothing where nothing would be sent again, or where a program dismisses', async () => {
    const { error } = unknown;
    for (const job of [
      { ...unknown, key: unknown.id },
      { ...unknown, sandbox: true },
      { ...unknown, state: 'failed', error: error && { ...error, mayBeBilled: false } },
    ] satisfies JobRecord[]) {
      assert.deepEqual(await dismiss(job), [true, 0]);
    }
    assert.deepEqual(await dismiss(unknown, 'program'), [true, 0]);
  });
});
