// `npm run faults`: runs every fault × every operation and prints a table; exits with 1 when a cell breaks a promise.
import '../support/compileCache.ts';
import { operationIds, operations } from '../../src/operations/operations.ts';
import { canOccur, faults } from './faults.ts';
import { type Outcome, runFault } from './runFault.ts';

const requested = process.argv[2] ?? '';
const broken: string[] = [];
let cells = 0;
console.log('How each fault ends, how many requests reached the service, and ↺ where a paid result was recovered.');
console.log('– marks faults of downloads, which cannot occur with transcripts: those come in the answer itself.\n');
console.log(`| fault | ${operationIds.join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(operationIds.length)}`);
for (const fault of faults.filter(({ name }) => name.includes(requested))) {
  const outcomes = await Promise.all(
    operationIds.map((id) => (canOccur(fault, operations[id].result) ? runFault(fault, id) : undefined)),
  );
  console.log(`| ${fault.name} | ${outcomes.map(cellOf).join(' | ')} |`);
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome) continue;
    cells++;
    broken.push(...outcome.problems.map((problem) => `${fault.name} × ${operationIds[index]}: ${problem}`));
  }
}
console.log(`\n${cells} cells, ${broken.length === 0 ? 'no promise is broken.' : `broken:\n${broken.join('\n')}`}`);
process.exitCode = broken.length === 0 ? 0 : 1;

function cellOf(outcome: Outcome | undefined): string {
  if (!outcome) return '–';
  const { ends, sent, recovered, problems } = outcome;
  return `${problems.length > 0 ? '✗ ' : ''}${ends} ${sent}${recovered ? ' ↺' : ''}`;
}
