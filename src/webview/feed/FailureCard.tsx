import { post } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import type { JobCard } from '../protocol/messages.ts';

interface FailureCardProps {
  readonly job: JobCard;
  onUsePrompt(job: JobCard): void;
}

/** A failed job in the place of its results, with its error and the actions that fit. */
export function FailureCard({ job, onUsePrompt }: FailureCardProps) {
  const { id, words, title, message, actions } = job;
  return (
    <li class="failure-card" aria-label={words || title} data-job={id}>
      <p class="failure-title">
        <Icon name="error" />
        <strong>{title}</strong>
        <span class="caption" dir="auto" title={words}>
          <span>{words}</span>
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long message */}
      <p class="failure-message" dir="auto" tabIndex={0}>
        {message}
      </p>
      <div class="actions">
        {actions.map((action) => (
          <button
            key={action.id}
            type="button"
            onClick={() => (action.id === 'usePrompt' ? onUsePrompt(job) : post('actOnJob', { id, action: action.id }))}
          >
            {action.title}
          </button>
        ))}
      </div>
    </li>
  );
}
