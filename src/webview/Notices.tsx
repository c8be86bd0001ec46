import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { tell } from './host.ts';
import type { Notice } from './messages.ts';

/** What the person should know before sending; each with what can be done. */
export function Notices({ notices, tab }: { readonly notices: readonly Notice[]; readonly tab: OperationId }) {
  const fitting = notices.filter(({ area }) => area === undefined || area === operations[tab].area);
  return fitting.map(({ text, actions }) => (
    <div class="notice" key={text}>
      <p>{text}</p>
      <div class="actions">
        {actions.map(({ id, title }) => (
          <button key={id} type="button" onClick={() => tell({ type: 'notice', action: id })}>
            {title}
          </button>
        ))}
      </div>
    </div>
  ));
}
