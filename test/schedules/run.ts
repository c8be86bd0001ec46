// `npm run schedules`: runs random schedules of programs that pay, are killed and disturbed, and checks that nothing is
// paid twice without a yes, sent though nobody has agreed, lost, or left behind. `-- --seed S --count N` repeats;
// `--only kill,rename` disturbs less,
// `--only nothing` not at all.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runSchedules } from './runSchedules.ts';
import { disturbances } from './Schedule.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '500' },
    only: { type: 'string' },
    log: { type: 'boolean', default: false },
  },
});
const print = (text: string) => void process.stdout.write(`${text}\n`);
const seed = Number(values.seed);
print(`Seed ${seed}. Repeat with: npm run schedules -- --seed ${seed} --count ${values.count}`);
const { problems } = await runSchedules({
  // Each schedule has the next number.
  seeds: Array.from({ length: Number(values.count) }, (_, index) => seed + index),
  allowed:
    values.only === undefined ? disturbances : disturbances.filter((one) => values.only?.split(',').includes(one)),
  atOnce: Math.min(2, availableParallelism()),
  logs: values.log,
  print,
});
process.exitCode = problems.length === 0 ? 0 : 1;
