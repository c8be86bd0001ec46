import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JobLog } from './JobLog.ts';
import type { JobFacts, JobRecord } from './JobRecord.ts';
import type { LeaseOptions } from './Lease.ts';
import { Lease, leaseSilence } from './Lease.ts';
import { LeaseWatch } from './LeaseWatch.ts';
import { readJob } from './readJob.ts';

/** What a job's folder is named after: its id, and the root that it saves to. */
export type JobKey = Pick<JobFacts, 'id' | 'place' | 'whole'>;

/** Suffix of roots for jobs started without a workspace folder. Any window recovers them. */
const chosenSuffix = '-chosen';
const isJobId = /^[0-9a-f-]{36}$/;

/**
 * Crash-safe log of all jobs on this machine, in `<folder>/<root>/<job id>/`. The root is named after the workspace
 * folder that a job saves to, so that every window on that folder finds its jobs.
 */
export class Journal {
  readonly #folder: string;
  readonly #leases: LeaseOptions & { readonly silence: number };

  /**
   * @param folder absolute path in the extension's global storage; created with the first job
   * @param silence milliseconds without a heartbeat after which a job counts as abandoned
   * @param checksOnce whether this process ends before it can see several heartbeats. The age of a lease then decides,
   *   since jobs from before a restart of the computer would otherwise look alive to each new process.
   */
  constructor(folder: string, silence = leaseSilence, checksOnce = false) {
    this.#folder = folder;
    this.#leases = checksOnce ? { silence } : { silence, watch: new LeaseWatch(silence) };
  }

  /** Creates the folder of a new job. @throws errors of node:fs */
  create(job: JobKey): Promise<JobLog> {
    return JobLog.create(this.#pathOf(job), this.#leases);
  }

  /** @returns undefined when another process works on the job, or it is gone */
  take(job: JobKey): Promise<JobLog | undefined> {
    return JobLog.take(this.#pathOf(job), this.#leases);
  }

  /** Creates the folder of a job whose answer is in memory only, if the storage can be written by now. */
  createIfPossible(job: JobKey): Promise<JobLog> {
    return this.create(job).catch(() => JobLog.withoutFolder(this.#pathOf(job)));
  }

  /** Returns a job's log without its lease, to remove the job when the folder cannot be written (full disk). */
  withoutLease(job: JobKey): JobLog {
    return JobLog.withoutFolder(this.#pathOf(job));
  }

  /** Reads a job from disk. Returns undefined when it is gone. @throws errors of node:fs */
  async read(job: JobKey): Promise<JobRecord | undefined> {
    return (await readJob(this.#pathOf(job)))?.record;
  }

  /**
   * Returns the jobs that no process owns, oldest first.
   *
   * @param roots URIs of the folders that this window shows
   * @param skips whether a job need not be read
   * @returns jobs of these roots, jobs started without a folder, and jobs of other roots whose answer has waited longer
   *   than a window needs to reload
   */
  async abandoned(roots: readonly string[], skips: (id: string) => boolean): Promise<readonly JobRecord[]> {
    const own = new Set(roots.map(nameOf));
    const records: JobRecord[] = [];
    for await (const { root, id, path } of this.#jobs()) {
      const isOwn = own.has(root) || root.endsWith(chosenSuffix);
      // A job that cannot be read must not hide the others.
      const record = skips(id) ? undefined : await this.#abandoned(path, isOwn).catch(() => undefined);
      if (record) records.push(record);
    }
    return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Returns all jobs of these roots, also those that other processes work on. */
  async jobsOf(roots: readonly string[], skips: (id: string) => boolean): Promise<readonly JobRecord[]> {
    const own = new Set(roots.map(nameOf));
    const records: JobRecord[] = [];
    for await (const { root, id, path } of this.#jobs()) {
      const job =
        own.has(root.replace(chosenSuffix, '')) && !skips(id) ? await readJob(path).catch(() => undefined) : undefined;
      if (job) records.push(job.record);
    }
    return records;
  }

  /** Removes the leftovers of jobs that ended before they were sent. */
  async sweep(): Promise<void> {
    for await (const { path } of this.#jobs()) await this.#sweep(path).catch(() => undefined);
  }

  async #sweep(path: string): Promise<void> {
    if ((await readJob(path)) || (await Lease.quietFor(path)) < this.#leases.silence) return;
    await (await JobLog.take(path, this.#leases))?.remove();
  }

  /** Yields the root's name, the id and the path of each job. */
  async *#jobs(): AsyncGenerator<{ readonly root: string; readonly id: string; readonly path: string }> {
    for (const root of await readdir(this.#folder).catch(() => [])) {
      for (const id of await readdir(join(this.#folder, root)).catch(() => [])) {
        if (isJobId.test(id)) yield { root, id, path: join(this.#folder, root, id) };
      }
    }
  }

  async #abandoned(path: string, isOwn: boolean): Promise<JobRecord | undefined> {
    const job = await readJob(path);
    if (!job || (await Lease.isHeld(path, this.#leases))) return undefined;
    if (isOwn) return job.record;
    const { state, place } = job.record;
    // A missing folder may be on a drive that is not connected: leave its job alone.
    const waits = state === 'downloading' && place.root.startsWith('file:') && existsSync(fileURLToPath(place.root));
    return waits && (await Lease.quietFor(path)) >= this.#leases.silence ? job.record : undefined;
  }

  #pathOf({ id, place, whole }: JobKey): string {
    const { root, isChosen } = whole?.place ?? place;
    return join(this.#folder, `${nameOf(root)}${isChosen ? chosenSuffix : ''}`, id);
  }
}

function nameOf(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}
