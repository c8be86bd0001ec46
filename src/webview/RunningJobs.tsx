import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { tell } from './host.ts';
import type { RunningJob } from './messages.ts';

/** The jobs of this window, whoever started them. */
export function RunningJobs({ jobs }: { readonly jobs: readonly RunningJob[] }) {
  const now = useNow(jobs.length > 0);
  return (
    <section aria-labelledby="running">
      <h2 id="running">{l10n.t('Running')}</h2>
      <p role="status" class={jobs.length === 0 ? 'status' : 'unseen'}>
        {jobs.length === 0 ? l10n.t('Nothing is running.') : l10n.t('{0} running', jobs.length)}
      </p>
      <ul>
        {jobs.map(({ id, title, words, stage, part, since }) => (
          <li class="job" key={id}>
            <p id={`job-${id}`} class="words" dir="auto">
              <strong>{title}</strong> {words}
            </p>
            <progress aria-label={stage} max={1} {...(part === undefined ? {} : { value: part })} />
            <p class="details">
              <span>{stage}</span> <span>{elapsed(now - Date.parse(since))}</span>
            </p>
            <button type="button" aria-describedby={`job-${id}`} onClick={() => tell({ type: 'cancel', jobId: id })}>
              {l10n.t('Cancel')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The time, once a second while somebody needs it. */
function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isNeeded) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}

/** As minutes and seconds. */
function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
