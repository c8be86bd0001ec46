import type { JobRecord } from '../jobs/JobRecord.ts';
import type { Waiting } from './Evaluated.ts';
import type { RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { DocumentPlan } from './planDocument.ts';

/** The job that an earlier run has left for a folder of variants. */
export function jobFor(
  jobs: readonly JobRecord[],
  { root, path }: { readonly root: string; readonly path: string },
): JobRecord | undefined {
  return jobs.find((job) => {
    const { place } = job.whole ?? job;
    return place.root === root && place.path === path && job.state !== 'done';
  });
}

interface WaitingFacts {
  readonly request: string;
  readonly sandbox: boolean;
  readonly jobs: readonly JobRecord[];
  /** Where these jobs are written down. */
  readonly journal: string;
  /** Of a document. */
  readonly narration: DocumentPlan | undefined;
}

/** What an earlier run has left of an entry's request. */
export async function waitingFor(
  { variants, rootUri }: ManifestProject,
  entry: RequestEntry,
  { request, sandbox, jobs, journal, narration }: WaitingFacts,
): Promise<Waiting | undefined> {
  if (narration) {
    // Blocks that were spoken are known by their files; other blocks of the document may have changed since.
    const keys = new Set(narration.blocks.map((block) => block.key));
    return jobs.some((job) => isUnknown(job) && keys.has(job.place.fileName)) ? 'unknown' : undefined;
  }
  const key = variants.keyFor(entry.path, request, sandbox);
  const job = jobFor(jobs, { root: rootUri, path: variants.pathOf(key) });
  // A long text goes on with the part that is missing.
  if (job?.hasAnswer) return job.whole ? undefined : 'answered';
  if (job && isUnknown(job)) return 'unknown';
  if ((await variants.list(key)).length > 0) return 'saved';
  return (await variants.isSentByOther(key, journal)) ? 'unknown' : undefined;
}

/** Whether a job's request was out when its process ended. */
export function isUnknown({ state, hasAnswer }: JobRecord): boolean {
  return !hasAnswer && (state === 'unknown' || state === 'waiting' || state === 'sending');
}
