import { journalMutants } from './journal.ts';
import type { Mutant } from './Mutant.ts';
import { pollingMutants } from './polling.ts';
import { runningMutants } from './running.ts';
import { savingMutants } from './saving.ts';
import { speechMutants } from './speech.ts';

/** Mutants of `src/jobs`. */
export const jobMutants: readonly Mutant[] = [
  ...journalMutants,
  ...pollingMutants,
  ...runningMutants,
  ...savingMutants,
  ...speechMutants,
];
