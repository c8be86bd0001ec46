import assert from 'node:assert/strict';
import { runSchedules } from '../../schedules/runSchedules.ts';
import { randomDisturbances } from '../../schedules/Schedule.ts';

// On Windows only an administrator may make symbolic links.
const allowed = randomDisturbances.filter((one) => one !== 'link' || process.platform !== 'win32');

/** A few of `npm run schedules`. Programs still race, so a failure may need several runs to come again. */
describe('programs that pay in one project and are killed and disturbed', () => {
  it('pay once, lose nothing and leave nothing behind (two schedules)', async () => {
    // Together they have every random disturbance, and every kind of work.
    const { problems } = await runSchedules({ seeds: [1173, 1701], allowed });
    assert.deepEqual(problems, []);
  });
});
