import * as l10n from '@vscode/l10n';
import type { JobCard, LibraryPart } from './protocol/messages.ts';

/** What a screen reader says: `status` when it has time, `alert` at once. */
export interface Announcement {
  readonly status: string;
  readonly alert: string;
}

/**
 * Returns what to say about the jobs that started, finished, failed or were cancelled, or undefined if there is nothing to
 * say. A card belongs to the same job as long as its `run` is the same; two jobs may have the same words.
 *
 * @param last the cards as they were before
 * @param cancelled the runs that the person has cancelled
 */
export function announcementOf(
  last: readonly JobCard[],
  jobs: readonly JobCard[],
  library: LibraryPart | undefined,
  cancelled: ReadonlySet<string>,
): Announcement | undefined {
  const ran = new Set(last.flatMap(({ state, run }) => (state === 'running' ? [run] : [])));
  const shown = new Set(jobs.map(({ run }) => run));
  const begun = jobs.filter(({ state, run }) => state === 'running' && !ran.has(run));
  const failed = jobs.filter(({ state, run }) => state === 'failed' && ran.has(run));
  const gone = last.filter(({ state, run }) => state === 'running' && !shown.has(run));
  const made = gone.filter(({ id }) => library?.first.some(({ jobId }) => jobId === id));
  const stopped = gone.filter((job) => cancelled.has(job.run) && !made.includes(job));
  const status = [
    ...begun.map(({ title, words }) => l10n.t('Started: {0}, {1}', title, words)),
    ...made.map(({ title, words }) => l10n.t('Ready: {0}, {1}', title, words)),
    ...stopped.map(({ title, words }) => l10n.t('Cancelled: {0}, {1}', title, words)),
  ].join('\n');
  const alert = failed.map(({ title, message }) => l10n.t('Failed: {0}. {1}', title, message)).join('\n');
  return status === '' && alert === '' ? undefined : { status, alert };
}
