import { runSchedule } from './runSchedule.ts';
import { type Disturbance, disturbances, drawSchedule, linesOf } from './Schedule.ts';

export interface SchedulesOptions {
  /** One for each schedule. */
  readonly seeds: readonly number[];
  readonly allowed?: readonly Disturbance[];
  readonly atOnce?: number;
  /** Whether to print what the programs of a failed schedule have printed. */
  readonly logs?: boolean;
  print?(text: string): void;
}

/** Runs schedules, prints each that fails with its seed and steps, and sums up. */
export async function runSchedules({
  seeds,
  allowed = disturbances,
  atOnce = 2,
  logs = false,
  print = () => undefined,
}: SchedulesOptions): Promise<{ readonly problems: readonly string[] }> {
  const began = Date.now();
  const failures: string[] = [];
  const kinds = new Map<string, number>();
  const sums = { accepted: 0, ended: 0, skipped: 0 };
  const slowest = { seed: 0, seconds: 0 };
  const waiting = seeds.values();
  const work = async (): Promise<void> => {
    for (const seed of waiting) {
      const schedule = drawSchedule(seed, allowed);
      const start = Date.now();
      const result = await runSchedule(schedule).catch((error: unknown) => {
        throw new Error(`schedule ${schedule.seed}:\n${linesOf(schedule).join('\n')}`, { cause: error });
      });
      const took = (Date.now() - start) / 1000;
      if (took > slowest.seconds) Object.assign(slowest, { seed: schedule.seed, seconds: took });
      sums.skipped += result ? 0 : 1;
      if (!result) continue;
      sums.accepted += result.accepted;
      sums.ended += result.ended;
      if (result.problems.length === 0) continue;
      const ofThis = new Set(result.problems.map((problem) => problem.slice(0, problem.indexOf(':'))));
      for (const kind of ofThis) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const failure = [
        `\nSchedule ${schedule.seed} fails. Repeat with: npm run schedules -- --seed ${schedule.seed} --count 1 --log`,
        ...linesOf(schedule).map((line) => `  ${line}`),
        ...result.problems.map((problem) => `  ✗ ${problem}`),
        ...(logs ? result.log : []),
      ].join('\n');
      failures.push(failure);
      print(failure);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, seeds.length) }, work));
  const seconds = (Date.now() - began) / 1000;
  print(
    `\n${seeds.length} schedules in ${seconds.toFixed(0)} s: ${sums.accepted} requests accepted, ${sums.ended} programs ended early, ${failures.length} schedules failed; the slowest, ${slowest.seed}, took ${slowest.seconds.toFixed(1)} s.`,
  );
  if (sums.skipped > 0)
    print(`${sums.skipped} schedules were skipped: they need a disk of their own, which only root can mount.`);
  for (const [kind, times] of kinds) print(`  ${kind}: in ${times} schedules`);
  return { problems: failures };
}
