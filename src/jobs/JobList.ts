import type { Usage } from '../library/LibraryRecord.ts';
import type { JobRecord } from './JobRecord.ts';
import type { JobProgress } from './saveResults.ts';

/** How long jobs that failed or were cancelled stay in the list, in milliseconds. Their inputs are kept for as long. */
export const jobKeptMs = 30 * 24 * 60 * 60 * 1000;

/** Current state of a job. */
export interface Job extends JobRecord {
  /** Progress while it runs. */
  readonly progress?: JobProgress | undefined;
  /** Cost and usage that the service reported. */
  readonly usage?: Usage | undefined;
  /** Set while the job waits for the person to confirm it. */
  readonly waitsForPerson?: true | undefined;
}

/** Number of finished jobs that the list keeps; their results are in the library. */
const maxDone = 100;

/** The jobs of this window and those left by earlier windows. */
export class JobList {
  readonly #jobs = new Map<string, Job>();
  readonly #listeners = new Set<(id: string) => void>();

  /** All jobs, newest first. */
  get all(): readonly Job[] {
    return [...this.#jobs.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  set(job: Job): void {
    this.#jobs.set(job.id, job);
    this.#notify(job.id);
    if (job.state === 'done') this.#forgetOldest();
  }

  /** Changes some properties of a job if it is in the list. */
  update(id: string, facts: Partial<Job>): void {
    const job = this.#jobs.get(id);
    if (job) this.set({ ...job, ...facts });
  }

  remove(id: string): void {
    if (this.#jobs.delete(id)) this.#notify(id);
  }

  /**
   * Calls the listener with the id of each job that is added, changed or removed. A running job changes with each
   * chunk.
   */
  onDidChange(listener: (id: string) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #forgetOldest(): void {
    const done = this.all.filter(({ state }) => state === 'done');
    for (const { id } of done.slice(maxDone)) this.remove(id);
  }

  #notify(id: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch {
        // A listener must not break a job that may be paid for.
      }
    }
  }
}

/** Whether a job has not ended yet. */
export function isRunning({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'done' && state !== 'failed' && state !== 'cancelled' && state !== 'unknown';
}
