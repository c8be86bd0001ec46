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

/** Names a job's folder: its id, and the root that it saves to. */
export type JobKey = Pick<JobFacts, 'id' | 'place' | 'whole'>;

/** Where jobs that were started without a workspace folder lie as well: any window goes on with them. */
const chosenSuffix = '-chosen';
const isJobId = /^[0-9a-f-]{36}$/;

/**
 * The crash-safe record of all jobs of this machine: `<folder>/<root>/<job id>/`, where the root is that of the
 * workspace folder that a job saves to, so that every window on that folder finds its jobs.
 */
export class Journal {
  readonly #folder: string;
  readonly #leases: Required<LeaseOptions>;

  /**
   * @param folder absolute path in the extension's global storage; made when the first job is written
   * @param silence without a heartbeat for this long a job has no owner any more, in milliseconds
   */
  constructor(folder: string, silence = leaseSilence) {
    this.#folder = folder;
    this.#leases = { silence, watch: new LeaseWatch(silence) };
  }

  /** Makes the folder of a new job. @throws errors of node:fs */
  create(job: JobKey): Promise<JobLog> {
    return JobLog.create(this.#pathOf(job), this.#leases);
  }

  /** @returns undefined when another process works on the job, or it is gone */
  take(job: JobKey): Promise<JobLog | undefined> {
    return JobLog.take(this.#pathOf(job), this.#leases);
  }

  /** For a job whose answer is in memory because the folder could not be written, which may still be so. */
  createIfPossible(job: JobKey): Promise<JobLog> {
    return this.create(job).catch(() => JobLog.withoutFolder(this.#pathOf(job)));
  }

  /** A job whose folder cannot be written, such as on a full disk, to be removed all the same. */
  withoutLease(job: JobKey): JobLog {
    return JobLog.withoutFolder(this.#pathOf(job));
  }

  /** A job as it stands on disk; undefined when it is gone. @throws errors of node:fs */
  async read(job: JobKey): Promise<JobRecord | undefined> {
    return (await readJob(this.#pathOf(job)))?.record;
  }

  /**
   * The jobs that nobody works on, oldest first.
   *
   * @param roots URIs of the folders that this window shows
   * @param skips tells which jobs need not be read
   * @returns those of these roots, those that were started without a folder, and of other roots those whose answer has
   *   waited for an owner longer than a window needs to come back
   */
  async abandoned(roots: readonly string[], skips: (id: string) => boolean): Promise<readonly JobRecord[]> {
    const own = new Set(roots.map(nameOf));
    const records: JobRecord[] = [];
    for await (const { root, id, path } of this.#jobs()) {
      const isOwn = own.has(root) || root.endsWith(chosenSuffix);
      // One that cannot be read now must not hide the others.
      const record = skips(id) ? undefined : await this.#abandoned(path, isOwn).catch(() => undefined);
      if (record) records.push(record);
    }
    return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Removes what is no job and nobody works on: what is left of one that ended before it was sent. */
  async sweep(): Promise<void> {
    for await (const { path } of this.#jobs()) await this.#sweep(path).catch(() => undefined);
  }

  async #sweep(path: string): Promise<void> {
    if ((await readJob(path)) || (await Lease.quietFor(path)) < this.#leases.silence) return;
    await (await JobLog.take(path, this.#leases))?.remove();
  }

  /** @returns the root's name and the path of each job */
  async *#jobs(): AsyncGenerator<{ readonly root: string; readonly id: string; readonly path: string }> {
    for (const root of await namesIn(this.#folder)) {
      for (const id of await namesIn(join(this.#folder, root))) {
        if (isJobId.test(id)) yield { root, id, path: join(this.#folder, root, id) };
      }
    }
  }

  async #abandoned(path: string, isOwn: boolean): Promise<JobRecord | undefined> {
    const job = await readJob(path);
    if (!job || (await Lease.isHeld(path, this.#leases))) return undefined;
    if (isOwn) return job.record;
    const { state, place } = job.record;
    // A folder that is not there may be on a drive that comes back.
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

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
