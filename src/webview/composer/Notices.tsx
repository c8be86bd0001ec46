import type { OperationId } from '../../operations/operations.ts';
import { post } from '../host.ts';
import type { Notice } from '../protocol/messages.ts';

/** Notices for the current operation, each with its actions. */
export function Notices({
  notices,
  operation,
}: {
  readonly notices: readonly Notice[];
  readonly operation: OperationId;
}) {
  const relevant = notices.filter(({ operations }) => operations.includes(operation));
  return relevant.map(({ text, actions }) => (
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
