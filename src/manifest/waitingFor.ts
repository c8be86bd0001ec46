import type { JobRecord } from '../jobs/JobRecord.ts';
import type { Waiting } from './Evaluated.ts';
import type { RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import type { DocumentPlan } from './planDocument.ts';

/** Returns the unfinished job that saves to a folder of variants. */
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
  /** Absolute path of the journal of these jobs. */
  readonly journal: string;
  /** The plan of the document, if the entry speaks one. */
  readonly narration: DocumentPlan | undefined;
}

/** Returns what an earlier run left of an entry's request. */
export async function waitingFor(
  { variants, rootUri }: ManifestProject,
  entry: RequestEntry,
  { request, sandbox, jobs, journal, narration }: WaitingFacts,
): Promise<Waiting | undefined> {
  if (narration) {
    // The plan already counts saved blocks; only blocks that this document still has matter.
    const keys = new Set(narration.blocks.map((block) => block.key));
    return jobs.some((job) => isUnknown(job) && keys.has(job.place.fileName)) ? 'unknown' : undefined;
  }
  const key = variants.keyFor(entry.path, request, sandbox);
  const job = jobFor(jobs, { root: rootUri, path: variants.pathOf(key) });
  // A long text continues with its missing part.
  if (job?.hasAnswer) return job.whole ? undefined : 'answered';
  if (job && isUnknown(job)) return 'unknown';
  if ((await variants.list(key)).length > 0) return 'saved';
  return (await variants.isSentByOther(key, journal)) ? 'unknown' : undefined;
}

/** Whether a job's process ended while its request was running. */
export function isUnknown({ state, hasAnswer }: JobRecord): boolean {
  return !hasAnswer && (state === 'unknown' || state === 'waiting' || state === 'sending');
}
