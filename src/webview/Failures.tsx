import { tell } from './host.ts';
import type { Failure } from './messages.ts';

/** What went wrong, read out at once, with the actions that fit. */
export function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  return (
    <div role="alert">
      {failures.map(({ id, text, actions }) => (
        <div class="failure" key={id}>
          <p dir="auto">{text}</p>
          <div class="actions">
            {actions.map((action) => (
              <button key={action.id} type="button" onClick={() => tell({ type: 'failure', id, action: action.id })}>
                {action.title}
              </button>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
