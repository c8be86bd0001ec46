import type { OperationId } from '../../operations/operations.ts';
import { post } from '../host.ts';
import type { Notice } from '../protocol/messages.ts';

/** What the person should know before sending; each with what can be done. */
export function Notices({
  notices,
  operation,
}: {
  readonly notices: readonly Notice[];
  readonly operation: OperationId;
}) {
  const fitting = notices.filter(({ operations }) => operations.includes(operation));
  return fitting.map(({ text, actions }) => (
    <div class="notice" key={text}>
      <p>{text}</p>
      <div class="actions">
        {actions.map(({ id, title }) => (
          <button key={id} type="button" onClick={() => post('actOnNotice', { action: id })}>
            {title}
          </button>
        ))}
      </div>
    </div>
  ));
}
