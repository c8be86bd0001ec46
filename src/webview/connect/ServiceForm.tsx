import * as l10n from '@vscode/l10n';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { post } from '../host.ts';
import type { BodyOf } from '../protocol/messages.ts';
import type { ConnectedService, ConnectProblem } from '../protocol/service.ts';
import { onEnter } from './onEnter.ts';
import type { Entered, ServiceField } from './ServiceFields.tsx';
import { Addresses, Authorization, fieldId } from './ServiceFields.tsx';
import { useTrial } from './useTrial.ts';

interface ServiceFormProps {
  /** The word before the key that is set. */
  readonly scheme: string;
  onTrying(isTrying: boolean): void;
  onConnected(service: ConnectedService): void;
}

const noHosts = { image: '', audio: '', video: '' };

/**
 * Address, word before the key and key, tried together. What is wrong is told at its field, and all that was typed stays.
 * Only this component holds the key, so it is gone when the form is.
 */
export function ServiceForm({ scheme, onTrying, onConnected }: ServiceFormProps) {
  const [entered, setEntered] = useState<Entered>({ hosts: noHosts, isEach: false, scheme, key: '' });
  const [problem, setProblem] = useState<ConnectProblem>();
  const { isTrying, connect, stop } = useTrial({
    onTrying,
    onConnected,
    onProblem: (found) => {
      const { suggestion } = found;
      if (suggestion !== undefined) setEntered((now) => ({ ...now, scheme: suggestion }));
      setProblem(found);
    },
  });
  const titleId = useId();
  const wrongField = problem && fieldOf(problem, entered);
  useLayoutEffect(() => {
    if (wrongField) document.getElementById(fieldId(wrongField))?.focus();
  }, [problem]);
  const send = (isTried: boolean): void => {
    if (isTrying) return;
    setProblem(undefined);
    void connect({ service: serviceOf(entered), isTried });
  };
  const fields = {
    entered,
    wrongAt: (field: ServiceField) => (wrongField === field ? problem?.sentence : undefined),
    onChange: (changes: Partial<Entered>) => {
      setEntered((now) => ({ ...now, ...changes }));
      setProblem(undefined);
      // The trial is of what was there before.
      if (isTrying) stop();
    },
  };
  return (
    <section class="connect" aria-labelledby={titleId} onKeyDown={onEnter(() => send(true))}>
      <h2 id={titleId}>{l10n.t('Connect a Service')}</h2>
      <p>{l10n.t('No service is connected. The sandbox is free and makes media on this machine.')}</p>
      <Addresses {...fields} />
      <Authorization {...fields} />
      <div role="alert">{problem && !wrongField && <p class="problem">{problem.sentence}</p>}</div>
      <div class="actions">
        <button type="button" class="primary" onClick={() => (isTrying ? stop() : send(true))}>
          {isTrying ? l10n.t('Stop') : l10n.t('Try (Free)')}
        </button>
        {problem?.canSkip && (
          <button type="button" onClick={() => send(false)}>
            {l10n.t('Connect Anyway')}
          </button>
        )}
        {problem?.isProxy && (
          <button type="button" onClick={() => post('actOnNotice', { action: 'openProxySettings' })}>
            {l10n.t('Open the Proxy Settings')}
          </button>
        )}
        <button type="button" onClick={() => post('actOnNotice', { action: 'useSandbox' })}>
          {l10n.t('Try the Sandbox')}
        </button>
      </div>
      <p class="hint" role="status">
        {isTrying && l10n.t('Trying the service. Nothing that is paid for is sent…')}
      </p>
    </section>
  );
}

/** Leads a person here who wants to send something before. */
export function focusAddress(): void {
  document.getElementById(fieldId('image'))?.focus();
}

/** The field that a problem is told at; none where it is about none. */
function fieldOf({ step, area = 'image' }: ConnectProblem, { isEach }: Entered): ServiceField | undefined {
  if (step === 'settings') return undefined;
  if (step !== 'address') return step;
  return isEach ? area : 'image';
}

function serviceOf({ hosts, isEach, scheme, key }: Entered): BodyOf<'connect'>['service'] {
  const { image } = hosts;
  return { hosts: isEach ? hosts : { image, audio: image, video: image }, scheme, key };
}
