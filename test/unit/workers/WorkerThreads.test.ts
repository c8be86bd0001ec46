import assert from 'node:assert/strict';
import { WorkerThreads } from '../../../src/workers/WorkerThreads.ts';

describe('WorkerThreads', () => {
  it('does not count the start of a thread as time without progress', async () => {
    const settings = { beside: import.meta.url, file: '../../support/lateWorker', limits: {} };
    const threads = new WorkerThreads<string, string>(settings);
    assert.equal(await threads.run('a', { quietMs: 250 }), 'a');
  });
});
