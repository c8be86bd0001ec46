import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { operations } from '../../operations/operations.ts';
import { request } from '../host.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { BodyOf } from '../protocol/messages.ts';
import type { ConnectedService } from '../protocol/service.ts';
import { onEnter } from './ServiceForm.tsx';

interface ModelChoicesProps {
  readonly service: ConnectedService;
  onDone(): void;
}

/** Summarises the connected service and asks for the default model of each operation. */
export function ModelChoices({ service, onDone }: ModelChoicesProps) {
  const { summary, models } = service;
  const [edited, setEdited] = useState<BodyOf<'saveModels'>['models']>({});
  const [failure, setFailure] = useState('');
  const panel = useRef<HTMLElement>(null);
  const id = useId();
  // The form that had the focus is gone. With the focus here, a screen reader reads the outcome.
  useEffect(() => panel.current?.focus(), []);
  const finish = async (): Promise<void> => {
    try {
      if (Object.keys(edited).length > 0) await request('saveModels', { models: edited });
      onDone();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section
      class="connect"
      ref={panel}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-summary`}
      onKeyDown={onEnter(() => void finish())}
    >
      <h2 id={`${id}-title`}>{l10n.t('Service Connected')}</h2>
      <p id={`${id}-summary`}>{summary}</p>
      <p>{l10n.t('Choose a default model for each operation now, or do it later.')}</p>
      <div class="model-choices">
        {models.map(({ operation, names, chosen }) => {
          const name = l10n.t(operations[operation].title);
          return (
            <div key={operation} class="model-choice">
              <label for={`${id}-${operation}`}>{name}</label>
              <Combobox
                id={`${id}-${operation}`}
                name={name}
                placeholder={l10n.t('Model')}
                text={edited[operation] ?? chosen}
                suggestions={names}
                onEdit={(text) => setEdited((now) => ({ ...now, [operation]: text }))}
              />
            </div>
          );
        })}
      </div>
      <div role="alert">{failure !== '' && <p class="problem">{failure}</p>}</div>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void finish()}>
          {l10n.t('Done')}
        </button>
      </div>
    </section>
  );
}
