import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Semaphore } from '../../../src/work/Semaphore.ts';

describe('Semaphore', () => {
  const { signal } = new AbortController();

  /** Acquires the semaphore and adds its name to `holders` when it has. */
  async function acquire(semaphore: Semaphore, name: string, holders: string[]): Promise<() => void> {
    const release = await semaphore.acquire(signal);
    holders.push(name);
    return release;
  }

  it('serves waiters in order', async () => {
    const semaphore = new Semaphore(() => 1);
    const holders: string[] = [];
    const waiters = ['a', 'b', 'c', 'd'].map((name) => acquire(semaphore, name, holders));
    for (const waiter of waiters) (await waiter)();
    assert.deepEqual(holders, ['a', 'b', 'c', 'd']);
  });

  it('ignores a second release by the same holder', async () => {
    const semaphore = new Semaphore(() => 1);
    const holders: string[] = [];
    const release = await acquire(semaphore, 'a', holders);
    release();
    release();
    await acquire(semaphore, 'b', holders);
    void acquire(semaphore, 'c', holders);
    await turn();
    assert.deepEqual(holders, ['a', 'b']);
  });

  it('follows a limit that changes, and treats 0 as 1', async () => {
    let limit = 0;
    const semaphore = new Semaphore(() => limit);
    const holders: string[] = [];
    const first = await acquire(semaphore, 'a', holders);
    const others = ['b', 'c', 'd'].map((name) => acquire(semaphore, name, holders));
    await turn();
    assert.deepEqual(holders, ['a']);
    limit = 2;
    first();
    const [second, third] = await Promise.all(others.slice(0, 2));
    await turn();
    assert.deepEqual(holders, ['a', 'b', 'c']);
    limit = 1;
    second?.();
    await turn();
    assert.deepEqual(holders, ['a', 'b', 'c']);
    third?.();
    await Promise.all(others);
    assert.deepEqual(holders, ['a', 'b', 'c', 'd']);
  });

  it('rejects a waiter that is aborted, and serves the next one', async () => {
    const semaphore = new Semaphore(() => 1);
    const release = await semaphore.acquire(signal);
    const abort = new AbortController();
    const waiting = semaphore.acquire(abort.signal);
    const last = semaphore.acquire(signal);
    abort.abort(new Error('no more'));
    await assert.rejects(waiting, { message: 'no more' });
    release();
    (await last)();
  });

  it('rejects a signal that is already aborted', async () => {
    const semaphore = new Semaphore(() => 1);
    await assert.rejects(semaphore.acquire(AbortSignal.abort(new Error('too late'))), { message: 'too late' });
    (await semaphore.acquire(signal))();
  });
});
