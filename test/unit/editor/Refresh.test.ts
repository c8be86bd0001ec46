import assert from 'node:assert/strict';
import { Refresh } from '../../../src/editor/LibraryReaders.ts';

describe('Refresh', () => {
  it('runs once more for all requests made during a run', async () => {
    let runs = 0;
    const refresh = new Refresh(async () => {
      runs++;
    });
    await Promise.all([refresh.request(), refresh.request(), refresh.request()]);
    assert.equal(runs, 2);
    assert.equal(refresh.running, undefined);
  });

  it('runs again for a request made just as a run ends', async () => {
    let runs = 0;
    const asked = async (turns: number) => {
      const refresh = new Refresh(async () => {
        runs++;
      });
      void refresh.request();
      for (let turn = 0; turn < turns; turn++) await undefined;
      runs = 0;
      await refresh.request();
      return runs;
    };
    for (let turns = 0; turns < 20; turns++) assert.equal(await asked(turns), 1, `after ${turns} turns`);
  });

  it('can run again after a failure', async () => {
    let isBroken = true;
    const refresh = new Refresh(async () => {
      if (isBroken) throw new Error('broken');
    });
    await assert.rejects(refresh.request(), /broken/);
    isBroken = false;
    await refresh.request();
  });
});
