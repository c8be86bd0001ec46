import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobCard, LibraryPart } from '../protocol/messages.ts';

interface AnnouncerProps {
  readonly jobs: readonly JobCard[];
  readonly library: LibraryPart | undefined;
}

/** Announces started, finished and failed jobs to screen readers. */
export function Announcer({ jobs, library }: AnnouncerProps) {
  const previous = useRef<readonly JobCard[]>(undefined);
  const [announcement, setAnnouncement] = useState({ status: '', alert: '' });
  useEffect(() => {
    const last = previous.current;
    previous.current = jobs;
    // Jobs that were there when the view opened are not announced.
    if (!last) return;
    const failed = jobs.filter(
      (job) => job.state === 'failed' && last.some(({ id, state }) => id === job.id && state === 'running'),
    );
    const ended = last.filter((job) => job.state === 'running' && !jobs.some(({ id }) => id === job.id));
    const made = ended.filter(({ id }) => library?.first.some(({ jobId }) => jobId === id));
    const begun = jobs.filter((job) => job.state === 'running' && !last.some(({ words }) => words === job.words));
    const status = [
      ...begun.map(({ title, words }) => l10n.t('Started: {0}, {1}', title, words)),
      ...made.map(({ title, words }) => l10n.t('Ready: {0}, {1}', title, words)),
    ].join('\n');
    const alert = failed.map(({ title, message }) => l10n.t('Failed: {0}. {1}', title, message)).join('\n');
    if (status !== '' || alert !== '') setAnnouncement({ status, alert });
  }, [jobs, library]);
  return (
    <>
      <p class="unseen" role="status">
        {announcement.status}
      </p>
      <p class="unseen" role="alert">
        {announcement.alert}
      </p>
    </>
  );
}
