import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Slots } from '../../../src/jobs/Slots.ts';

describe('Slots', () => {
  const { signal } = new AbortController();

  /** Waits for a slot and appends its name when it gets one. */
  async function take(slots: Slots, name: string, taken: string[]): Promise<() => void> {
    const leave = await slots.take(signal);
    taken.push(name);
    return leave;
  }

  it('are given in the order of the requests', async () => {
    const slots = new Slots(() => 1);
    const taken: string[] = [];
    const holders = ['a', 'b', 'c', 'd'].map((name) => take(slots, name, taken));
    for (const holder of holders) (await holder)();
    assert.deepEqual(taken, ['a', 'b', 'c', 'd']);
  });

  it('count once, however often they are returned', async () => {
    const slots = new Slots(() => 1);
    const taken: string[] = [];
    const leave = await take(slots, 'a', taken);
    leave();
    leave();
    await take(slots, 'b', taken);
    void take(slots, 'c', taken);
    await turn();
    assert.deepEqual(taken, ['a', 'b']);
  });

  it('follow the current limit, but there is at least one', async () => {
    let limit = 0;
    const slots = new Slots(() => limit);
    const taken: string[] = [];
    const first = await take(slots, 'a', taken);
    const others = ['b', 'c'].map((name) => take(slots, name, taken));
    await turn();
    assert.deepEqual(taken, ['a']);
    limit = 2;
    first();
    await Promise.all(others);
    assert.deepEqual(taken, ['a', 'b', 'c']);
  });

  it('are not reserved for a request that was aborted', async () => {
    const slots = new Slots(() => 1);
    const leave = await slots.take(signal);
    const abort = new AbortController();
    const waiting = slots.take(abort.signal);
    const last = slots.take(signal);
    abort.abort(new Error('no more'));
    await assert.rejects(waiting, { message: 'no more' });
    leave();
    (await last)();
  });
});
