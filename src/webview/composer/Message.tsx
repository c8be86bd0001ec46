import { post } from '../host.ts';
import type { Action } from '../protocol/messages.ts';
import type { Problem } from './composition.ts';
import { problemId } from './Options.tsx';

interface MessageProps {
  readonly problem: Problem | undefined;
  readonly failure: { readonly message?: string; readonly actions?: readonly Action[] } | undefined;
  onDismiss(): void;
}

/** An invalid field or a failure with its actions. A screen reader reads it at once. */
export function Message({ problem, failure, onDismiss }: MessageProps) {
  return (
    <div role="alert">
      {problem && (
        <p id={problemId} class="problem" dir="auto">
          {problem.message}
        </p>
      )}
      {failure?.message !== undefined && (
        <div class="notice failure">
          <p dir="auto">{failure.message}</p>
          <div class="actions">
            {failure.actions?.map(({ id, title }) => (
              <button
                key={id}
                type="button"
                onClick={() => {
                  onDismiss();
                  post('actOnNotice', { action: id });
                }}
              >
                {title}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
