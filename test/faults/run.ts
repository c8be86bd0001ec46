// `npm run faults`: every fault × every operation, as a table; fails when a cell breaks a promise.
import { operationIds, operations } from '../../src/operations/operations.ts';
import { canOccur, faults } from './faults.ts';
import type { Outcome } from './runFault.ts';
import { runFault } from './runFault.ts';

const wanted = process.argv[2] ?? '';
const broken: string[] = [];
let tried = 0;
console.log(
  'How each fault ends, how many requests reached the service, and ↺ where a paid result was saved afterwards.',
);
console.log('– marks faults of downloads, which cannot occur with transcripts: those come in the answer itself.\n');
console.log(`| fault | ${operationIds.join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(operationIds.length)}`);
for (const fault of faults.filter(({ name }) => name.includes(wanted))) {
  const outcomes = await Promise.all(
    operationIds.map((id) => (canOccur(fault, operations[id].result) ? runFault(fault, id) : undefined)),
  );
  console.log(`| ${fault.name} | ${outcomes.map(cellOf).join(' | ')} |`);
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome) continue;
    tried++;
    broken.push(...outcome.problems.map((problem) => `${fault.name} × ${operationIds[index]}: ${problem}`));
  }
}
console.log(`\n${tried} cells, ${broken.length === 0 ? 'no promise is broken.' : `broken:\n${broken.join('\n')}`}`);
process.exitCode = broken.length === 0 ? 0 : 1;

function cellOf(outcome: Outcome | undefined): string {
  if (!outcome) return '–';
  const { ends, sent, broughtBack, problems } = outcome;
  return `${problems.length > 0 ? '✗ ' : ''}${ends} ${sent}${broughtBack ? ' ↺' : ''}`;
}
