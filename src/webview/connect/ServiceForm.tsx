import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import type { Area } from '../../operations/operations.ts';
import { areas } from '../../operations/operations.ts';
import { request, tell } from '../host.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { BodyOf } from '../protocol/messages.ts';
import type { ConnectedService, ConnectProblem } from '../protocol/service.ts';
import { onEnter } from './onEnter.ts';

interface ServiceFormProps {
  /** The word before the key that is set. */
  readonly scheme: string;
  onTrying(isTrying: boolean): void;
  onConnected(service: ConnectedService): void;
}

type Service = BodyOf<'connect'>['service'];

/** What is typed; only this component holds it, so the key is gone with it. */
interface Entered extends Service {
  /** Whether each area has an address of its own; else that for images is the one for all. */
  readonly isEach: boolean;
}

const usualSchemes = ['Bearer'];

/** Address, word before the key and key, tried together. What is wrong is told at its field, and all that was typed stays. */
export function ServiceForm({ scheme, onTrying, onConnected }: ServiceFormProps) {
  const [entered, setEntered] = useState<Entered>({
    hosts: { image: '', audio: '', video: '' },
    isEach: false,
    scheme,
    key: '',
  });
  const [problem, setProblem] = useState<ConnectProblem>();
  const [isTrying, setTrying] = useState(false);
  const titleId = useId();
  const { hosts, isEach } = entered;
  const wrongField = problem && fieldOf(problem, isEach);
  useLayoutEffect(() => {
    if (wrongField) document.getElementById(idOf(wrongField))?.focus();
  }, [problem]);
  const change = (changes: Partial<Entered>): void => {
    setEntered((now) => ({ ...now, ...changes }));
    setProblem(undefined);
    // The trial is of what was there before.
    if (isTrying) tell('stopConnecting', {});
  };
  const connect = async (isTried: boolean): Promise<void> => {
    if (isTrying) return;
    const mark = (is: boolean): void => {
      setTrying(is);
      onTrying(is);
    };
    setProblem(undefined);
    mark(true);
    try {
      const reply = await request('connect', { service: serviceOf(entered), isTried });
      if (reply.connected) onConnected(reply.connected);
      const { suggestion } = reply.problem ?? {};
      if (suggestion !== undefined) setEntered((now) => ({ ...now, scheme: suggestion }));
      setProblem(reply.problem);
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      setProblem({ step: 'settings', sentence, isProxy: false, canSkip: false });
    } finally {
      mark(false);
    }
  };
  const sentenceAt = (field: Field) => (wrongField === field ? problem?.sentence : undefined);
  return (
    <section class="connect" aria-labelledby={titleId} onKeyDown={onEnter(() => void connect(true))}>
      <h2 id={titleId}>{l10n.t('Connect a Service')}</h2>
      <p>{l10n.t('No service is connected. The sandbox is free and makes media on this machine.')}</p>
      {(isEach ? areas : (['image'] as const)).map((area) => (
        <Labelled
          key={area}
          field={area}
          name={isEach ? addressName(area) : l10n.t('Address')}
          wrong={sentenceAt(area)}
        >
          <input
            {...attributesOf(area, sentenceAt(area))}
            type="text"
            inputMode="url"
            dir="ltr"
            spellcheck={false}
            autocomplete="off"
            placeholder={isEach ? l10n.t('empty if there is none') : 'https://api.example.com'}
            value={hosts[area]}
            onInput={({ currentTarget }) => change({ hosts: { ...hosts, [area]: currentTarget.value } })}
          />
        </Labelled>
      ))}
      <label class="switch">
        <input
          type="checkbox"
          checked={isEach}
          onChange={({ currentTarget }) => change({ isEach: currentTarget.checked })}
        />
        <span>{l10n.t('Separate addresses for images, audio and video')}</span>
      </label>
      <Authorization entered={entered} sentenceAt={sentenceAt} onChange={change} />
      <div role="alert">{problem && !wrongField && <p class="problem">{problem.sentence}</p>}</div>
      <div class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => (isTrying ? tell('stopConnecting', {}) : void connect(true))}
        >
          {isTrying ? l10n.t('Stop') : l10n.t('Try (Free)')}
        </button>
        {problem?.canSkip && (
          <button type="button" onClick={() => void connect(false)}>
            {l10n.t('Connect Anyway')}
          </button>
        )}
        {problem?.isProxy && (
          <button type="button" onClick={() => tell('actOnNotice', { action: 'openProxySettings' })}>
            {l10n.t('Open the Proxy Settings')}
          </button>
        )}
        <button type="button" onClick={() => tell('actOnNotice', { action: 'useSandbox' })}>
          {l10n.t('Try the Sandbox')}
        </button>
      </div>
      <p class="hint" role="status">
        {isTrying && l10n.t('Trying the service. Nothing that is paid for is sent…')}
      </p>
    </section>
  );
}

interface AuthorizationProps {
  readonly entered: Entered;
  sentenceAt(field: Field): string | undefined;
  onChange(changes: Partial<Entered>): void;
}

/** The word and the key, as they follow each other in the header. */
function Authorization({ entered, sentenceAt, onChange }: AuthorizationProps) {
  const hintId = useId();
  const wrongScheme = sentenceAt('scheme');
  const wrongKey = sentenceAt('key');
  const key = attributesOf('key', wrongKey);
  return (
    <>
      <div class="authorization">
        <Labelled field="scheme" name={l10n.t('Word before the Key')} wrong={wrongScheme}>
          <Combobox
            id={idOf('scheme')}
            name={l10n.t('Word before the Key')}
            placeholder={l10n.t('none')}
            text={entered.scheme}
            suggestions={usualSchemes}
            isWrong={wrongScheme !== undefined}
            describedBy={attributesOf('scheme', wrongScheme)['aria-describedby']}
            onEdit={(scheme) => onChange({ scheme })}
          />
        </Labelled>
        <Labelled field="key" name={l10n.t('Key')} wrong={wrongKey}>
          <input
            {...key}
            aria-describedby={[key['aria-describedby'], hintId].filter(Boolean).join(' ')}
            type="password"
            dir="ltr"
            autocomplete="off"
            placeholder={l10n.t('Paste the key')}
            value={entered.key}
            onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
          />
        </Labelled>
      </div>
      <p id={hintId} class="hint">
        {l10n.t('It is kept by the editor’s secret storage and sent only to this service.')}
      </p>
    </>
  );
}

interface LabelledProps {
  readonly field: Field;
  readonly name: string;
  readonly wrong: string | undefined;
  readonly children: ComponentChildren;
}

function Labelled({ field, name, wrong, children }: LabelledProps) {
  return (
    <div class="labelled">
      <label for={idOf(field)}>{name}</label>
      {children}
      <div role="alert">
        {wrong !== undefined && (
          <p id={problemIdOf(field)} class="problem" dir="auto">
            {wrong}
          </p>
        )}
      </div>
    </div>
  );
}

type Field = Area | 'scheme' | 'key';

function idOf(field: Field): string {
  return `connect-${field}`;
}

function problemIdOf(field: Field): string {
  return `${idOf(field)}-problem`;
}

function attributesOf(field: Field, wrong: string | undefined) {
  const isWrong = wrong !== undefined;
  return {
    id: idOf(field),
    'aria-invalid': isWrong,
    'aria-describedby': isWrong ? problemIdOf(field) : undefined,
  };
}

/** The field that a problem is told at; none where it is about none. */
function fieldOf({ step, area = 'image' }: ConnectProblem, isEach: boolean): Field | undefined {
  if (step === 'settings') return undefined;
  if (step !== 'address') return step;
  return isEach ? area : 'image';
}

function serviceOf({ hosts, isEach, scheme, key }: Entered): Service {
  const { image } = hosts;
  return { hosts: isEach ? hosts : { image, audio: image, video: image }, scheme, key };
}

function addressName(area: Area): string {
  switch (area) {
    case 'image':
      return l10n.t('Address for Images');
    case 'audio':
      return l10n.t('Address for Audio');
    case 'video':
      return l10n.t('Address for Video');
  }
}
