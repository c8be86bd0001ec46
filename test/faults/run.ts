// `npm run faults`: every fault × every operation, as a table; fails when a cell breaks a promise.
import { operationIds } from '../../src/operations/operations.ts';
import { faults } from './faults.ts';
import type { Outcome } from './runFault.ts';
import { runFault } from './runFault.ts';

const wanted = process.argv[2] ?? '';
const broken: string[] = [];
console.log(
  'How each fault ends, how many requests reached the service, and ↺ where what was paid for was brought back.\n',
);
console.log(`| fault | ${operationIds.join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(operationIds.length)}`);
for (const fault of faults.filter(({ name }) => name.includes(wanted))) {
  const outcomes = await Promise.all(operationIds.map((operation) => runFault(fault, operation)));
  console.log(`| ${fault.name} | ${outcomes.map(cellOf).join(' | ')} |`);
  for (const [index, { problems }] of outcomes.entries()) {
    broken.push(...problems.map((problem) => `${fault.name} × ${operationIds[index]}: ${problem}`));
  }
}
console.log(broken.length === 0 ? '\nNo promise is broken.' : `\nBroken:\n${broken.join('\n')}`);
process.exitCode = broken.length === 0 ? 0 : 1;

function cellOf({ ends, sent, broughtBack, problems }: Outcome): string {
  return `${problems.length > 0 ? '✗ ' : ''}${ends} ${sent}${broughtBack ? ' ↺' : ''}`;
}
