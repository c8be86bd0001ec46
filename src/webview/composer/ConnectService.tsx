import * as l10n from '@vscode/l10n';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../../operations/MediaError.ts';
import { type Area, type AssetKind, areas, type OperationId, operations } from '../../operations/operations.ts';
import { presetIds, presetOf } from '../../operations/presets.ts';
import { keep, kept, post, request } from '../host.ts';
import { Combobox } from '../parts/Combobox.tsx';
import type { BodyOf, ConnectedService, Connecting, ConnectProblem, Setup } from '../protocol/messages.ts';
import { kindsOf, operationsFor, suggestedModels } from './modelChoices.ts';

/**
 * The form that connects a service, followed by the choice of its models. It is there while no service is connected,
 * and whenever the person asks for it.
 */
export function ConnectService({ connecting }: { readonly connecting: Setup['connecting'] }) {
  const [trying, setTrying] = useState<Connecting>();
  const [before] = useState(() => kept()?.connected?.service);
  const [service, setService] = useState<ConnectedService | undefined>(before);
  // Its address was removed while the view was hidden.
  const isGone = before !== undefined && service === before && connecting?.isRequired === true;
  useEffect(() => {
    if (!isGone) return;
    setService(undefined);
    keep({ connected: undefined });
  }, [isGone]);
  const leave = (): void => document.querySelector<HTMLElement>('.prompt, .drop-hint')?.focus();
  // The host saves the service before it replies, so `connecting` may be gone while the form still waits.
  const shown = connecting ?? trying;
  if (service && !isGone && !(connecting && connecting.asked > 0)) {
    const end = (): void => {
      setService(undefined);
      leave();
    };
    return <ModelChoices service={service} onDone={end} />;
  }
  if (!shown) return null;
  const close = (): void => {
    post('closeConnecting', {});
    setTrying(undefined);
    setService(undefined);
    leave();
  };
  return (
    <ServiceForm
      connecting={shown}
      onTrying={(isTrying) => setTrying(isTrying ? shown : undefined)}
      onConnected={setService}
      onClose={close}
    />
  );
}

interface ServiceFormProps {
  readonly connecting: Connecting;
  onTrying(isTrying: boolean): void;
  onConnected(service: ConnectedService): void;
  onClose(): void;
}

/**
 * A form for the address, the authorization scheme and the key, which are tested together. A problem is shown at its
 * field, and the input stays. Only this component holds the key, so the key is gone when the form closes.
 */
function ServiceForm({ connecting, onTrying, onConnected, onClose }: ServiceFormProps) {
  const { isRequired, asked, hosts, scheme, hasKey } = connecting;
  const isSeparate = new Set(Object.values(hosts)).size > 1;
  const [input, setInput] = useState<ServiceInput>(() => {
    const typed = kept()?.service;
    return { hosts, isSeparate, scheme, ...(typed?.asked === asked ? typed : {}), key: '' };
  });
  useEffect(() => () => keep({ service: undefined }), []);
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
  // As soon as the view has the focus, which it must not take while it loads.
  useEffect(() => {
    // The form is still there when the view is hidden and shown again.
    if (asked <= (kept()?.asked ?? 0)) return;
    const focus = (): void => {
      keep({ asked });
      focusAddress();
    };
    if (document.hasFocus()) return focus();
    window.addEventListener('focus', focus, { once: true });
    return () => window.removeEventListener('focus', focus);
  }, [asked]);
  const invalidField = problem && fieldOf(problem, input);
  useLayoutEffect(() => {
    // The test takes a while, in which the person may go on in another part of VS Code.
    if (invalidField && document.hasFocus()) document.getElementById(fieldId(invalidField))?.focus();
  }, [problem]);
  const send = (isTried: boolean, insecureHost?: string): void => {
    if (isTrying) return;
    setProblem(undefined);
    void connect({ service: serviceOf(input), isTried, ...(insecureHost === undefined ? {} : { insecureHost }) });
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    if (isTrying) stop();
    else if (!isRequired) onClose();
  };
  const submit = onEnter(() => send(true));
  const fields = {
    input,
    canKeepKey: hasKey && areas.every((area) => serviceOf(input).hosts[area] === hosts[area]),
    errorAt: (field: ServiceField) => (invalidField === field ? problem?.sentence : undefined),
    onChange: (changes: Partial<ServiceInput>) => {
      const next = { ...input, ...changes };
      setInput(next);
      keep({ service: { hosts: next.hosts, isSeparate: next.isSeparate, scheme: next.scheme, asked } });
      setProblem(undefined);
      // The running test tests the previous input.
      if (isTrying) stop();
    },
  };
  return (
    <section
      class="connect"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        submit(event);
        closeOnEscape(event);
      }}
    >
      <h2 id={titleId}>{l10n.t('Connect a Service')}</h2>
      {isRequired && (
        <p>{l10n.t('No service is connected. The sandbox is free and creates sample media on this computer.')}</p>
      )}
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
        {problem?.insecureHost !== undefined && (
          <button type="button" onClick={() => send(true, problem.insecureHost)}>
            {l10n.t('Allow http to {0}', problem.insecureHost)}
          </button>
        )}
        {problem?.isProxy && (
          <button type="button" onClick={() => post('actOnNotice', { action: 'openProxySettings' })}>
            {l10n.t('Open Proxy Settings')}
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            post('actOnNotice', { action: 'useSandbox' });
            onClose();
          }}
        >
          {l10n.t('Try the Sandbox')}
        </button>
        {!isRequired && (
          <button type="button" onClick={onClose}>
            {l10n.t('Cancel')}
          </button>
        )}
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
function onEnter(run: () => void): (event: KeyboardEvent) => void {
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

function useTrial({
  onTrying,
  onProblem,
  onConnected,
}: {
  onTrying(isTrying: boolean): void;
  onProblem(problem: ConnectProblem): void;
  onConnected(service: ConnectedService): void;
}) {
  const [isTrying, setTrying] = useState(false);
  const setBoth = (is: boolean): void => {
    setTrying(is);
    onTrying(is);
  };
  const connect = async (body: BodyOf<'connect'>): Promise<void> => {
    setBoth(true);
    try {
      const { problem, connected } = await request('connect', body);
      if (problem) onProblem(problem);
      if (connected) onConnected(connected);
    } catch (error) {
      const sentence = reasonOf(error);
      onProblem({ step: 'settings', sentence, isProxy: false, canSkip: false });
    } finally {
      setBoth(false);
    }
  };
  return { isTrying, connect, stop: () => post('stopConnecting', {}) };
}

/** The input of the form. */
interface ServiceInput extends Readonly<BodyOf<'connect'>['service']> {
  /** Whether each area has its own address; otherwise the address for images is used for all. */
  readonly isSeparate: boolean;
}

type ServiceField = Area | 'scheme' | 'key';

interface ServiceFieldsProps {
  readonly input: ServiceInput;
  /** Whether the key may be left out, because these hosts have one. */
  readonly canKeepKey: boolean;
  /** Returns the error of a field. */
  errorAt(field: ServiceField): string | undefined;
  onChange(changes: Partial<ServiceInput>): void;
}

const usualSchemes = ['Bearer'];

function fieldId(field: ServiceField): string {
  return `connect-${field}`;
}

/** One address for everything, or one for each area. */
function Addresses({ input: { hosts, isSeparate }, errorAt, onChange }: ServiceFieldsProps) {
  return (
    <>
      {(isSeparate ? areas : (['image'] as const)).map((area) => (
        <Fragment key={area}>
          <LabelledField field={area} name={isSeparate ? addressName(area) : l10n.t('Address')}>
            <input
              {...attributesOf(area, errorAt(area))}
              type="text"
              inputMode="url"
              dir="ltr"
              spellcheck={false}
              autocomplete="off"
              placeholder={isSeparate ? l10n.t('optional') : 'https://api.example.com'}
              value={hosts[area]}
              onInput={({ currentTarget }) => onChange({ hosts: { ...hosts, [area]: currentTarget.value } })}
            />
          </LabelledField>
          <FieldError field={area} sentence={errorAt(area)} />
        </Fragment>
      ))}
      <label class="switch" title={l10n.t('for images, audio and video; any of them can be left out')}>
        <input
          type="checkbox"
          checked={isSeparate}
          onChange={({ currentTarget }) => onChange({ isSeparate: currentTarget.checked })}
        />
        <span>{l10n.t('Separate Addresses')}</span>
      </label>
    </>
  );
}

/** The scheme and the key, in the order of the `Authorization` header. */
function Authorization({ input, canKeepKey, errorAt, onChange }: ServiceFieldsProps) {
  const hintId = useId();
  const scheme = attributesOf('scheme', errorAt('scheme'));
  const key = attributesOf('key', errorAt('key'));
  return (
    <>
      <div class="authorization">
        <LabelledField field="scheme" name={l10n.t('Authorization Scheme')}>
          <Combobox
            id={scheme.id}
            name={l10n.t('Authorization Scheme')}
            placeholder={l10n.t('none')}
            text={input.scheme}
            suggestions={usualSchemes}
            isInvalid={scheme['aria-invalid']}
            describedBy={scheme['aria-describedby']}
            onEdit={(text) => onChange({ scheme: text })}
          />
        </LabelledField>
        <LabelledField field="key" name={l10n.t('Key')}>
          <input
            {...key}
            aria-describedby={[key['aria-describedby'], hintId].filter(Boolean).join(' ')}
            type="password"
            dir="ltr"
            autocomplete="off"
            placeholder={canKeepKey ? l10n.t('Leave empty to keep the current key') : l10n.t('Paste the key')}
            value={input.key}
            onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
          />
        </LabelledField>
      </div>
      <FieldError field="scheme" sentence={errorAt('scheme')} />
      <FieldError field="key" sentence={errorAt('key')} />
      <p id={hintId} class="hint">
        {l10n.t(
          'The key is kept in the editor’s secret storage and sent only to this service. A service on this computer may need none.',
        )}
      </p>
    </>
  );
}

function LabelledField({
  field,
  name,
  children,
}: {
  readonly field: ServiceField;
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="labelled">
      <label for={fieldId(field)}>{name}</label>
      {children}
    </div>
  );
}

function FieldError({ field, sentence }: { readonly field: ServiceField; readonly sentence: string | undefined }) {
  return (
    <div role="alert">
      {sentence !== undefined && (
        <p id={errorIdOf(field)} class="problem" dir="auto">
          {sentence}
        </p>
      )}
    </div>
  );
}

function errorIdOf(field: ServiceField): string {
  return `${fieldId(field)}-error`;
}

function attributesOf(field: ServiceField, error: string | undefined) {
  const isInvalid = error !== undefined;
  return {
    id: fieldId(field),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? errorIdOf(field) : undefined,
  };
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

interface WhatForProps {
  readonly name: string;
  readonly kinds: readonly AssetKind[];
  onChosen(kinds: readonly AssetKind[]): void;
}

/** Asks what a model is for. */
function WhatFor({ name, kinds, onChosen }: WhatForProps) {
  const [chosen, setChosen] = useState<readonly AssetKind[]>([]);
  const panel = useRef<HTMLFieldSetElement>(null);
  useEffect(() => panel.current?.querySelector('input')?.focus(), []);
  return (
    <fieldset ref={panel}>
      <legend>{l10n.t('What is {0} for?', name)}</legend>
      {kinds.map((kind) => (
        <label key={kind} class="switch">
          <input
            type="checkbox"
            checked={chosen.includes(kind)}
            onChange={({ currentTarget }) =>
              setChosen((now) => [...now.filter((one) => one !== kind), ...(currentTarget.checked ? [kind] : [])])
            }
          />
          <span>{kindName(kind)}</span>
        </label>
      ))}
      <button type="button" disabled={chosen.length === 0} onClick={() => onChosen(chosen)}>
        {l10n.t('Use It for These')}
      </button>
    </fieldset>
  );
}

function kindName(kind: AssetKind): string {
  switch (kind) {
    case 'images':
      return l10n.t('Images');
    case 'speech':
      return l10n.t('Speech');
    case 'transcripts':
      return l10n.t('Transcripts');
    case 'videos':
      return l10n.t('Videos');
  }
}

/** Summarises the connected service and asks for the default model of each operation. */
function ModelChoices({ service, onDone }: { readonly service: ConnectedService; onDone(): void }) {
  const { summary, models } = service;
  const [before] = useState(() => kept()?.connected);
  const [preset, setPreset] = useState(before?.preset ?? service.preset);
  const [edited, setEdited] = useState<BodyOf<'saveModels'>['models']>(before?.models ?? suggestedModels(models));
  useEffect(() => keep({ connected: { service, models: edited, preset } }), [edited, preset]);
  useEffect(() => () => keep({ connected: undefined }), []);
  const [search, setSearch] = useState('');
  const [told, setTold] = useState('');
  const [failure, setFailure] = useState('');
  const panel = useRef<HTMLElement>(null);
  const id = useId();
  // The form that had the focus is gone. With the focus here, a screen reader reads the outcome.
  useEffect(() => {
    if (!before && document.hasFocus()) panel.current?.focus();
  }, []);
  const finish = async (): Promise<void> => {
    try {
      const isOther = preset !== service.preset;
      if (isOther || Object.keys(edited).length > 0) {
        await request('saveModels', { models: edited, preset });
      }
      onDone();
    } catch (error) {
      setFailure(reasonOf(error));
    }
  };
  const submit = onEnter(() => void finish());
  // A model of which neither the service nor its name says what it is for.
  const [asked, setAsked] = useState('');
  const choose = (name: string): void => {
    setSearch('');
    const fitting = operationsFor(name, models, edited);
    setAsked(fitting ? '' : name);
    setTold('');
    if (fitting) chooseFor(name, fitting);
  };
  const chooseFor = (name: string, fitting: readonly OperationId[]): void => {
    setEdited((now) => ({ ...now, ...Object.fromEntries(fitting.map((operation) => [operation, name])) }));
    const titles = fitting.map((operation) => l10n.t(operations[operation].title));
    setTold(
      titles.length === 0
        ? l10n.t('{0} is chosen for nothing. To use it, choose it below.', name)
        : l10n.t('{0} is chosen for: {1}.', name, titles.join(', ')),
    );
  };
  return (
    <section
      class="connect"
      ref={panel}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-summary`}
      onKeyDown={(event) => {
        submit(event);
        if (event.key === 'Escape') onDone();
      }}
    >
      <h2 id={`${id}-title`}>{l10n.t('Service Connected')}</h2>
      <p id={`${id}-summary`}>{summary}</p>
      <p>
        {l10n.t(
          'Choose default models now, or do it later. A model that you choose is set for the operations that it fits; the line below says which.',
        )}
      </p>
      <div class="labelled">
        <Combobox
          id={`${id}-search`}
          name={l10n.t('Find a Model')}
          text={search}
          suggestions={[...new Set(models.flatMap(({ names }) => names))]}
          gone={models.flatMap(({ gone }) => gone)}
          onEdit={setSearch}
          onChoose={choose}
        />
      </div>
      <p class="hint" role="status">
        {told}
      </p>
      {asked !== '' && (
        <WhatFor
          key={asked}
          name={asked}
          kinds={kindsOf(models)}
          onChosen={(kinds) => {
            setAsked('');
            const all = models.map(({ operation }) => operation);
            chooseFor(
              asked,
              all.filter((operation) => kinds.includes(operations[operation].result)),
            );
          }}
        />
      )}
      {Object.keys(suggestedModels(models)).length > 0 && (
        <p class="hint">
          {l10n.t('The service does not say what its models are for. Some are filled in by their names: check them.')}
        </p>
      )}
      <div class="model-choices">
        {models.map(({ operation, names, gone, chosen }) => {
          const name = l10n.t(operations[operation].title);
          return (
            <div key={operation} class="model-choice">
              <label for={`${id}-${operation}`}>{name}</label>
              <Combobox
                id={`${id}-${operation}`}
                name={name}
                placeholder={l10n.t('none')}
                text={edited[operation] ?? chosen}
                suggestions={names}
                gone={gone}
                onEdit={(text) => setEdited((now) => ({ ...now, [operation]: text }))}
              />
            </div>
          );
        })}
      </div>
      <div class="model-choices">
        <div class="model-choice">
          <label for={`${id}-preset`}>{l10n.t('Which further fields does it take?')}</label>
          <select
            id={`${id}-preset`}
            value={preset}
            onChange={(event) => setPreset(presetIds.find((one) => one === event.currentTarget.value) ?? 'none')}
          >
            <option value="none">{l10n.t('None')}</option>
            {presetIds.map((one) => (
              <option key={one} value={one}>
                {presetOf(one).name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <p class="hint">{l10n.t('Individual fields can be declared in the setting “fields”.')}</p>
      <div role="alert">{failure !== '' && <p class="problem">{failure}</p>}</div>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void finish()}>
          {l10n.t('Done')}
        </button>
      </div>
    </section>
  );
}
