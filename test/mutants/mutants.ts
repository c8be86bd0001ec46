import { agentMutants } from './agents.ts';
import { imageMutants } from './images.ts';
import { jobMutants } from './jobs.ts';
import { libraryMutants } from './library.ts';
import type { Mutant } from './Mutant.ts';
import { manifestMutants } from './manifest.ts';
import { narrationMutants } from './narration.ts';
import { otherMutants } from './others.ts';
import { recordingMutants } from './recordings.ts';
import { serviceMutants } from './service.ts';

/** All mutants. */
export const mutants: readonly Mutant[] = [
  ...jobMutants,
  ...serviceMutants,
  ...libraryMutants,
  ...imageMutants,
  ...recordingMutants,
  ...narrationMutants,
  ...otherMutants,
  ...agentMutants,
  ...manifestMutants,
];
