import { agentMutants } from './agents.ts';
import { imageMutants } from './images.ts';
import { libraryMutants } from './library.ts';
import type { Mutant } from './Mutant.ts';
import { manifestMutants } from './manifest.ts';
import { narrationMutants } from './narration.ts';
import { otherMutants } from './others.ts';
import { recordingMutants } from './recordings.ts';
import { serviceMutants } from './service.ts';
import { workMutants } from './work.ts';

/** All mutants. */
export const mutants: readonly Mutant[] = [
  ...workMutants,
  ...serviceMutants,
  ...libraryMutants,
  ...imageMutants,
  ...recordingMutants,
  ...narrationMutants,
  ...otherMutants,
  ...agentMutants,
  ...manifestMutants,
];
