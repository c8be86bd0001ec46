import { jobMutants } from './jobs.ts';
import { libraryMutants } from './library.ts';
import type { Mutant } from './Mutant.ts';
import { manifestMutants } from './manifest.ts';
import { otherMutants } from './others.ts';
import { serviceMutants } from './service.ts';

/** The whole table. */
export const mutants: readonly Mutant[] = [
  ...jobMutants,
  ...serviceMutants,
  ...libraryMutants,
  ...manifestMutants,
  ...otherMutants,
];
