// `npm run faults`: runs every fault × every operation and prints a table; exits with 1 when a cell breaks a promise.
import { operationIds } from '../../src/operations/operations.ts';
import { faults } from './faults.ts';
import type { Outcome } from './runFault.ts';
import { runFault } from './runFault.ts';

const requested = process.argv[2] ?? '';
const broken: string[] = [];
console.log('How each fault ends, how many requests reached the service, and ↺ where a paid result was recovered.\n');
console.log(`| fault | ${operationIds.join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(operationIds.length)}`);
for (const fault of faults.filter(({ name }) => name.includes(requested))) {
  const outcomes = await Promise.all(operationIds.map((operation) => runFault(fault, operation)));
  console.log(`| ${fault.name} | ${outcomes.map(cellOf).join(' | ')} |`);
  for (const [index, { problems }] of outcomes.entries()) {
    broken.push(...problems.map((problem) => `${fault.name} × ${operationIds[index]}: ${problem}`));
  }
}
console.log(broken.length === 0 ? '\nNo promise is broken.' : `\nBroken:\n${broken.join('\n')}`);
process.exitCode = broken.length === 0 ? 0 : 1;

function cellOf({ ends, sent, recovered, problems }: Outcome): string {
  return `${problems.length > 0 ? '✗ ' : ''}${ends} ${sent}${recovered ? ' ↺' : ''}`;
}
