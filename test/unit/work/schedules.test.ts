import assert from 'node:assert/strict';
import { runSchedules } from '../../schedules/runSchedules.ts';
import { isThorough } from '../../support/thorough.ts';

/** A few of `npm run schedules`. Programs still race, so a failure may need several runs to come again. */
describe('programs that pay in one project and are killed and disturbed', () => {
  for (const seed of isThorough ? [1, 11, 21, 31] : [1]) {
    const count = isThorough ? 10 : 4;
    it(`pay once, lose nothing and leave nothing behind (schedules ${seed} to ${seed + count - 1})`, async () => {
      const { problems } = await runSchedules({ seed, count });
      assert.deepEqual(problems, []);
    });
  }
});
