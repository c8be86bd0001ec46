import type { JobFacts } from './JobRecord.ts';
import type { JobInput } from './JobRunner.ts';

/**
 * Returns what Run Again sends for a job. For a part of a text or recording that is the whole, of which only the missing
 * parts are sent. For a part of a manifest's document it is the part alone; the manifest joins it with the others.
 */
export function inputAgain({ operation, request, place, sandbox, whole, into }: JobFacts): JobInput {
  if (whole?.entry !== undefined) return { operation, request, place, sandbox, whole };
  return { operation, request, place, sandbox, ...(into ? { into } : {}), ...whole };
}
