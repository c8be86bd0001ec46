import type { Mutant } from './Mutant.ts';
import { pollingMutants } from './polling.ts';
import { runningMutants } from './running.ts';
import { savingMutants } from './saving.ts';
import { speechMutants } from './speech.ts';
import { storeMutants } from './store.ts';

/** Mutants of `src/work`. */
export const workMutants: readonly Mutant[] = [
  ...storeMutants,
  ...pollingMutants,
  ...runningMutants,
  ...savingMutants,
  ...speechMutants,
];
