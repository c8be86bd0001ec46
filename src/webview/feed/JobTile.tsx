import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import { post } from '../host.ts';
import { Icon } from '../parts/Icon.tsx';
import type { JobCard } from '../protocol/messages.ts';
import { duration, kindIcons, useNow } from './ItemMedia.tsx';

/** A running job in the place of its first result: its stage, its time so far and a button to cancel it. */
export function JobTile({ job }: { readonly job: JobCard }) {
  const { id, kind, words, title, message, part, createdAt } = job;
  const now = useNow();
  const stageId = useId();
  return (
    <li class={`tile job ${kind}`} aria-label={words || title} data-job={id}>
      <div class="media">
        <span class="placeholder">
          <Icon name={kindIcons[kind]} />
          <span id={stageId} class="stage">
            {message}
          </span>
          <span class="time">{duration((now - Date.parse(createdAt)) / 1000)}</span>
          <progress aria-label={message} max={1} {...(part === undefined ? {} : { value: part })} />
          <button type="button" aria-describedby={stageId} onClick={() => post('actOnJob', { id, action: 'cancel' })}>
            {l10n.t('Cancel')}
          </button>
        </span>
      </div>
      <p class="caption" dir="auto" title={words}>
        <span>{words || title}</span>
      </p>
    </li>
  );
}

/** The place of a further result of the same job. */
export function JobPlaceholder({ job: { kind } }: { readonly job: JobCard }) {
  return (
    <li class={`tile job ${kind}`} aria-hidden="true">
      <div class="media">
        <span class="placeholder">
          <Icon name={kindIcons[kind]} />
        </span>
      </div>
    </li>
  );
}

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
