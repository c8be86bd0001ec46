import * as l10n from '@vscode/l10n';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { post } from '../host.ts';
import type { BodyOf } from '../protocol/messages.ts';
import type { ConnectedService, ConnectProblem } from '../protocol/service.ts';
import type { ServiceField, ServiceInput } from './ServiceFields.tsx';
import { Addresses, Authorization, fieldId } from './ServiceFields.tsx';
import { useTrial } from './useTrial.ts';

interface ServiceFormProps {
  /** The configured word before the key. */
  readonly scheme: string;
  onTrying(isTrying: boolean): void;
  onConnected(service: ConnectedService): void;
}

const noHosts = { image: '', audio: '', video: '' };

/**
 * A form for the address, the word before the key and the key, which are tested together. A problem is shown at its
 * field, and the input stays. Only this component holds the key, so the key is gone when the form closes.
 */
export function ServiceForm({ scheme, onTrying, onConnected }: ServiceFormProps) {
  const [input, setInput] = useState<ServiceInput>({ hosts: noHosts, isSeparate: false, scheme, key: '' });
  const [problem, setProblem] = useState<ConnectProblem>();
  const { isTrying, connect, stop } = useTrial({
    onTrying,
    onConnected,
    onProblem: (found) => {
      const { suggestion } = found;
      if (suggestion !== undefined) setInput((now) => ({ ...now, scheme: suggestion }));
      setProblem(found);
    },
  });
  const titleId = useId();
  const invalidField = problem && fieldOf(problem, input);
  useLayoutEffect(() => {
    if (invalidField) document.getElementById(fieldId(invalidField))?.focus();
  }, [problem]);
  const send = (isTried: boolean): void => {
    if (isTrying) return;
    setProblem(undefined);
    void connect({ service: serviceOf(input), isTried });
  };
  const fields = {
    input,
    errorAt: (field: ServiceField) => (invalidField === field ? problem?.sentence : undefined),
    onChange: (changes: Partial<ServiceInput>) => {
      setInput((now) => ({ ...now, ...changes }));
      setProblem(undefined);
      // The running test tests the previous input.
      if (isTrying) stop();
    },
  };
  return (
    <section class="connect" aria-labelledby={titleId} onKeyDown={onEnter(() => send(true))}>
      <h2 id={titleId}>{l10n.t('Connect a Service')}</h2>
      <p>{l10n.t('No service is connected. The sandbox is free and creates sample media on this computer.')}</p>
      <Addresses {...fields} />
      <Authorization {...fields} />
      <div role="alert">{problem && !invalidField && <p class="problem">{problem.sentence}</p>}</div>
      <div class="actions">
        <button type="button" class="primary" onClick={() => (isTrying ? stop() : send(true))}>
          {isTrying ? l10n.t('Stop') : l10n.t('Test and Connect')}
        </button>
        {problem?.canSkip && (
          <button type="button" onClick={() => send(false)}>
            {l10n.t('Connect Anyway')}
          </button>
        )}
        {problem?.isProxy && (
          <button type="button" onClick={() => post('actOnNotice', { action: 'openProxySettings' })}>
            {l10n.t('Open Proxy Settings')}
          </button>
        )}
        <button type="button" onClick={() => post('actOnNotice', { action: 'useSandbox' })}>
          {l10n.t('Try the Sandbox')}
        </button>
      </div>
      <p class="hint" role="status">
        {isTrying && l10n.t('Testing the connection. No paid request is sent…')}
      </p>
    </section>
  );
}

/** Moves the focus to the form, for a user who submits before a service is connected. */
export function focusAddress(): void {
  document.getElementById(fieldId('image'))?.focus();
}

/** Returns the field that a problem concerns, if any. */
function fieldOf({ step, area = 'image' }: ConnectProblem, { isSeparate }: ServiceInput): ServiceField | undefined {
  if (step === 'settings') return undefined;
  if (step !== 'address') return step;
  return isSeparate ? area : 'image';
}

function serviceOf({ hosts, isSeparate, scheme, key }: ServiceInput): BodyOf<'connect'>['service'] {
  const { image } = hosts;
  return { hosts: isSeparate ? hosts : { image, audio: image, video: image }, scheme, key };
}

/** Returns a key handler that runs on Enter in an input, and on Ctrl+Enter or Cmd+Enter anywhere in the panel. */
export function onEnter(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.repeat || event.isComposing) return;
    const isField = event.target instanceof HTMLInputElement;
    if (!isField && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    // Otherwise the composer would submit its request.
    event.stopPropagation();
    run();
  };
}
