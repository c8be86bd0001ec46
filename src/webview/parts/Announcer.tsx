import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobCard, LibraryPart } from '../protocol/messages.ts';

interface AnnouncerProps {
  readonly jobs: readonly JobCard[];
  readonly library: LibraryPart | undefined;
}

/** Says to a screen reader what began, was made or went wrong. */
export function Announcer({ jobs, library }: AnnouncerProps) {
  const before = useRef<readonly JobCard[]>(undefined);
  const [told, setTold] = useState({ status: '', alert: '' });
  useEffect(() => {
    const last = before.current;
    before.current = jobs;
    // What was there when the view opened is no news.
    if (!last) return;
    const failed = jobs.filter(
      (job) => job.state === 'failed' && last.some(({ id }) => id === job.id && isNew(last, job)),
    );
    const ended = last.filter((job) => job.state === 'running' && !jobs.some(({ id }) => id === job.id));
    const made = ended.filter(({ id }) => library?.first.some(({ jobId }) => jobId === id));
    const begun = jobs.filter((job) => job.state === 'running' && !last.some(({ words }) => words === job.words));
    const status = [
      ...begun.map(({ title, words }) => l10n.t('Started: {0}, {1}', title, words)),
      ...made.map(({ title, words }) => l10n.t('Ready: {0}, {1}', title, words)),
    ].join('\n');
    const alert = failed.map(({ title, message }) => l10n.t('Failed: {0}. {1}', title, message)).join('\n');
    if (status !== '' || alert !== '') setTold({ status, alert });
  }, [jobs, library]);
  return (
    <>
      <p class="unseen" role="status">
        {told.status}
      </p>
      <p class="unseen" role="alert">
        {told.alert}
      </p>
    </>
  );
}

/** Whether a failed job was running before. */
function isNew(before: readonly JobCard[], { id }: JobCard): boolean {
  return before.find((job) => job.id === id)?.state === 'running';
}
