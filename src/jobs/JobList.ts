import type { Usage } from '../library/LibraryRecord.ts';
import type { JobRecord } from './JobRecord.ts';
import type { JobProgress } from './saveResults.ts';

/** How long a job that failed can be looked up and run again, in milliseconds; its inputs are kept as long. */
export const jobKeptMs = 30 * 24 * 60 * 60 * 1000;

/** A job as it stands at this moment. */
export interface Job extends JobRecord {
  /** What it is doing, while it runs. */
  readonly progress?: JobProgress | undefined;
  /** What the service told of cost and use. */
  readonly usage?: Usage | undefined;
  /** Whether the person is asked before it is sent. */
  readonly waitsForPerson?: true | undefined;
}

/** Jobs that are done are remembered up to this number: what they made is in the library. */
const maxDone = 100;

/** The jobs of this window and those that earlier ones left, for all who show them. */
export class JobList {
  readonly #jobs = new Map<string, Job>();
  readonly #listeners = new Set<(id: string) => void>();

  /** Newest first. */
  get all(): readonly Job[] {
    return [...this.#jobs.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  set(job: Job): void {
    this.#jobs.set(job.id, job);
    this.#tell(job.id);
    if (job.state === 'done') this.#forgetOldest();
  }

  /** Changes some facts of a job that is in the list. */
  update(id: string, facts: Partial<Job>): void {
    const job = this.#jobs.get(id);
    if (job) this.set({ ...job, ...facts });
  }

  remove(id: string): void {
    if (this.#jobs.delete(id)) this.#tell(id);
  }

  /** Called with the id of each job that has changed, come or gone; for a running job with every chunk of bytes. */
  onDidChange(listener: (id: string) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #forgetOldest(): void {
    const done = this.all.filter(({ state }) => state === 'done');
    for (const { id } of done.slice(maxDone)) this.remove(id);
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch {
        // Whoever looks on must not break a job that may be paid for.
      }
    }
  }
}

/** Whether a job has not come to its end. */
export function isRunning({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'done' && state !== 'failed' && state !== 'cancelled' && state !== 'unknown';
}
