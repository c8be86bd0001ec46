import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../../operations/MediaError.ts';
import { type OperationId, operations, wordsField } from '../../operations/operations.ts';
import { keep, kept, post, request } from '../host.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { isMac } from '../parts/isMac.ts';
import { useReturningFocus } from '../parts/useReturningFocus.ts';
import type { AttachSource, Draft, Notice, ReplyOf, Setup } from '../protocol/messages.ts';
import { switchesFor, type TabId, tabIds, tabs } from '../protocol/tabs.ts';
import { AttachButton, Attachments, isText, mayHoldFiles, takeTransfer } from './Attachments.tsx';
import { ConnectService, focusAddress } from './ConnectService.tsx';
import {
  buttonName,
  type Composition,
  canSelectRegion,
  compose,
  type FieldProblem,
  modelKey,
  problemsOf,
  spendingOf,
  submissionOf,
  submitName,
  withAttachments,
  withoutSent,
  withRegion,
} from './composition.ts';
import { controlId, Options, problemId } from './Options.tsx';
import { type EditDraft, useHistory, withPrompt } from './useDraft.ts';

const spendingId = 'spending';

/** The form for a request: tabs, prompt, attachments, options and the button that submits it. */
export function Composer({
  draft,
  setup,
  edit,
}: {
  readonly draft: Draft;
  readonly setup: Setup | undefined;
  readonly edit: EditDraft;
}) {
  const composition = compose(draft, setup);
  const { tab, operation, attachments } = composition;
  const { isSending, problem, failure, isNoticed, clear, change, attach, take, submit } = useComposer(
    composition,
    setup,
    draft,
    edit,
  );
  useSubmitKey(submit);
  const remove = (index: number): void =>
    change((now) => ({ attachments: { ...now.attachments, [tab]: attachments.toSpliced(index, 1) } }));
  return (
    <div class="composer">
      <Tabs selected={tab} onSelect={(next) => change(() => ({ tab: next }))} />
      <DropZone tab={tab} onTake={take}>
        <div class="input-box">
          <Attachments
            attachments={attachments}
            canSelectRegion={canSelectRegion(composition)}
            onRemove={remove}
            onRegion={(uri, region) => change((now) => withRegion(now, tab, uri, region))}
          />
          <Prompt
            composition={composition}
            problem={problem}
            onPrompt={(prompt) => change((now) => withPrompt(now, tab, prompt))}
          />
          {tab === 'transcript' && attachments.length === 0 && (
            <button type="button" class="drop-hint" id={controlId('file')} onClick={() => attach({ from: 'file' })}>
              {l10n.t('Attach a recording, or drop one here')}
            </button>
          )}
          <Toolbar composition={composition} setup={setup} problem={problem} onAttach={attach} onChange={change} />
        </div>
        <button
          type="button"
          // What to do first is in the form below.
          class={setup?.connecting ? 'submit' : 'submit primary'}
          aria-disabled={isSending}
          aria-describedby={spendingId}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          title={
            isMac
              ? l10n.t('{0} (⌘Enter)', submitName(composition))
              : l10n.t('{0} (Ctrl+Enter)', submitName(composition))
          }
          onClick={submit}
        >
          {submitName(composition)}
        </button>
        {setup && !setup.connecting?.isRequired && (
          <p class="spending" id={spendingId} dir="auto">
            {spendingOf(composition, setup, document.documentElement.lang)}
          </p>
        )}
        <Message problem={problem} failure={failure} isNoticed={isNoticed} onDismiss={clear} />
        <ConnectService connecting={setup?.connecting} />
        <Notices
          notices={setup?.notices ?? []}
          operation={operation}
          failed={isNoticed ? failure?.message : undefined}
        />
      </DropZone>
    </div>
  );
}

/** Why the last request was not sent, or a file not attached. */
type SubmitFailure = Pick<ReplyOf<'submit'>, 'message' | 'actions' | 'field'> & {
  /** Whether it ends when a service is connected. */
  readonly isUnconnected?: boolean;
};

function useComposer(composition: Composition, setup: Setup | undefined, draft: Draft, edit: EditDraft) {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<FieldProblem>();
  const [failure, setFailure] = useState<SubmitFailure>();
  const sending = useRef(false);
  const clear = (): void => {
    setProblem(undefined);
    setFailure(undefined);
  };
  const isNoticed =
    setup?.notices.some(
      ({ text, operations: about }) => text === failure?.message && about.includes(composition.operation),
    ) === true;
  useEffect(() => {
    if (!isNoticed) return undefined;
    // It ends with its notice, because it is no longer true then.
    return () => setFailure((now) => (now === failure ? undefined : now));
  }, [isNoticed, failure]);
  const fail = (error: unknown) => setFailure({ message: reasonOf(error) });
  const attach = async (source: AttachSource): Promise<void> => {
    clear();
    const { tab } = composition;
    const added = await request('attach', { tab, switched: draft.switched, source });
    if (added.length > 0) edit((now) => withAttachments(now, tab, added));
  };
  const submit = async (): Promise<void> => {
    const [first] = problemsOf(composition);
    // Nobody can choose a model before a service is connected: lead to the address first.
    if (setup?.connecting?.isRequired && (!first || first.field === 'model')) {
      setFailure({ message: l10n.t('Connect a service first, or try the sandbox.'), isUnconnected: true });
      focusAddress();
      return;
    }
    if (first) {
      setProblem(first);
      document.getElementById(controlId(first.field))?.focus();
      return;
    }
    const { outcome, ...reason } = await request('submit', submissionOf(composition));
    if (outcome === 'failed') setFailure(reason);
    if (outcome === 'started') edit((now) => withoutSent(now, draft));
  };
  return {
    isSending,
    // What was missing may have come from elsewhere: the default model of a service that was just connected.
    problem: problemsOf(composition).find(({ field }) => field === problem?.field),
    failure: failure?.isUnconnected && !setup?.connecting?.isRequired ? undefined : failure,
    /** Whether a notice says the same as the failure. */
    isNoticed,
    clear,
    change: (next: (draft: Draft) => Partial<Draft>): void => {
      clear();
      edit(next);
    },
    attach: (source: AttachSource) => void attach(source).catch(fail),
    take: (data: DataTransfer) =>
      void takeTransfer(data)
        .then((sources) => Promise.all(sources.map(attach)))
        .catch(fail),
    submit: (): void => {
      // A second request would be billed as well.
      if (sending.current) return;
      clear();
      sending.current = true;
      setSending(true);
      void submit()
        .catch(fail)
        .finally(() => {
          sending.current = false;
          setSending(false);
        });
    },
  };
}

/** Submits on Ctrl+Enter or Cmd+Enter from anywhere in the view, but not while a dialog decides what is sent. */
function useSubmitKey(submit: () => void): void {
  // A layout effect without dependencies, so that the handler always submits the latest input.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) submit();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

/** The text field, which grows with its text. */
function Prompt({
  composition,
  problem,
  onPrompt,
}: {
  readonly composition: Composition;
  readonly problem: FieldProblem | undefined;
  onPrompt(prompt: string): void;
}) {
  const { tab, operation, prompt } = composition;
  const area = useRef<HTMLTextAreaElement>(null);
  const onHistory = useHistory(tab, prompt, onPrompt);
  // What else had the focus in the form was left for another part of VS Code: the prompt is where to go on.
  useReturningFocus(
    // A transcript has no prompt: its button is next.
    () => area.current ?? document.querySelector<HTMLElement>('.submit'),
    (element) => element.closest('.composer, dialog')?.matches('.composer') === true,
  );
  const field = wordsField(operations[operation]);
  if (!field) return null;
  const isInvalid = problem?.field === field.name;
  return (
    <textarea
      ref={area}
      id={controlId(field.name)}
      class="prompt"
      dir="auto"
      rows={2}
      aria-label={l10n.t(field.label)}
      aria-required="true"
      title={l10n.t('The Up key brings back earlier prompts.')}
      aria-invalid={isInvalid}
      aria-describedby={isInvalid ? problemId : undefined}
      placeholder={l10n.t(field.placeholder)}
      value={prompt}
      onInput={(event) => onPrompt(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (onHistory(event)) event.preventDefault();
      }}
    />
  );
}

interface ToolbarProps {
  readonly composition: Composition;
  readonly setup: Setup | undefined;
  readonly problem: FieldProblem | undefined;
  onAttach(source: AttachSource): void;
  onChange(next: (draft: Draft) => Partial<Draft>): void;
}

function Toolbar({ composition, setup, problem, onAttach, onChange }: ToolbarProps) {
  const { tab, operation } = composition;
  return (
    <div class="toolbar">
      {tabs[tab].attaches.length > 0 && <AttachButton tab={tab} onAttach={(from) => onAttach({ from })} />}
      <Options
        key={tab}
        composition={composition}
        models={setup?.models[operation] ?? []}
        gone={setup?.gone?.[operation] ?? []}
        forgettable={setup?.forgettable?.[operation] ?? []}
        problem={problem}
        favouriteVoices={setup?.favouriteVoices ?? []}
        onShape={(shape) => onChange((now) => ({ shapes: { ...now.shapes, [tab]: shape ?? null } }))}
        onModel={(model) =>
          onChange((now) => ({ models: { ...now.models, [modelKey(operation, setup?.hosts[operation])]: model } }))
        }
        onForgetModel={(model) => post('forgetModel', { operation, model })}
        onModelFocus={() => {
          if (setup?.unloaded.includes(operation)) post('loadModels', { operation });
        }}
        onOption={(name, text) =>
          onChange((now) => ({ options: { ...now.options, [tab]: { ...now.options[tab], [name]: text } } }))
        }
      />
      {switchesFor(tab, composition.attachments).map((id) => (
        <label key={id} class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={operation === id}
            aria-checked={operation === id}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              onChange(({ switched }) => ({
                switched: [...switched.filter((other) => other !== id), ...(isOn ? [id] : [])],
              }));
            }}
          />
          <span>{buttonName(id)}</span>
        </label>
      ))}
    </div>
  );
}

interface MessageProps {
  readonly problem: FieldProblem | undefined;
  readonly failure: SubmitFailure | undefined;
  /** Whether the failure is only read out, because a notice says it. */
  readonly isNoticed: boolean;
  onDismiss(): void;
}

/** An invalid field or a failure with its actions. A screen reader reads it at once. */
function Message({ problem, failure, isNoticed, onDismiss }: MessageProps) {
  return (
    <div role="alert">
      {problem && (
        <p id={problemId} class="problem" dir="auto">
          {problem.message}
        </p>
      )}
      {isNoticed && <p class="unseen">{failure?.message}</p>}
      {failure?.message !== undefined && !isNoticed && (
        <div class={failure.isUnconnected ? 'notice' : 'notice failure'}>
          <p dir="auto">{failure.message}</p>
          {failure.actions && (
            <div class="actions">
              {failure.actions.map(({ id, title }) => (
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
          )}
        </div>
      )}
    </div>
  );
}

interface NoticesProps {
  readonly notices: readonly Notice[];
  readonly operation: OperationId;
  /** The text of the notice because of which the last request was not sent. */
  readonly failed: string | undefined;
}

function Notices({ notices, operation, failed }: NoticesProps) {
  const [closed, setClosed] = useState<readonly string[]>(kept()?.closed ?? []);
  const isClosed = ({ text, canClose }: Notice) => canClose === true && closed.includes(text);
  const relevant = notices.filter((notice) => notice.operations.includes(operation) && !isClosed(notice));
  const close = (text: string): void => {
    const next = [...closed, text];
    setClosed(next);
    keep({ closed: next });
  };
  return relevant.map(({ text, actions, canClose }) => (
    <div class={text === failed ? 'notice failure' : 'notice'} key={text}>
      <p>{text}</p>
      <div class="actions">
        {actions.map(({ id, title }) => (
          <button key={id} type="button" onClick={() => post('actOnNotice', { action: id })}>
            {title}
          </button>
        ))}
        {canClose && (
          <button type="button" onClick={() => close(text)}>
            {l10n.t('Close')}
          </button>
        )}
      </div>
    </div>
  ));
}

const panelId = 'composer';

const icons: Readonly<Record<TabId, IconName>> = {
  image: 'image',
  speech: 'speech',
  transcript: 'transcript',
  video: 'video',
};

function nameOf(tab: TabId): string {
  switch (tab) {
    case 'image':
      return l10n.t('Image');
    case 'speech':
      return l10n.t('Speech');
    case 'transcript':
      return l10n.t('Transcript');
    case 'video':
      return l10n.t('Video');
  }
}

function tabElementId(tab: TabId): string {
  return `tab-${tab}`;
}

/** The tab list: one stop of the Tab key; the arrow keys, Home and End move between tabs. */
function Tabs({ selected, onSelect }: { readonly selected: TabId; onSelect(tab: TabId): void }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const isRightToLeft = document.dir === 'rtl';
    const index = tabIds.indexOf(selected);
    const target = new Map([
      ['ArrowRight', index + (isRightToLeft ? -1 : 1)],
      ['ArrowLeft', index + (isRightToLeft ? 1 : -1)],
      ['Home', 0],
      ['End', -1],
    ]).get(event.key);
    const tab = target === undefined ? undefined : tabIds.at(target % tabIds.length);
    if (!tab) return;
    event.preventDefault();
    onSelect(tab);
    document.getElementById(tabElementId(tab))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Kind')} onKeyDown={onKeyDown}>
      {tabIds.map((tab) => (
        <button
          key={tab}
          id={tabElementId(tab)}
          type="button"
          role="tab"
          title={nameOf(tab)}
          aria-label={nameOf(tab)}
          aria-selected={tab === selected}
          aria-controls={panelId}
          tabIndex={tab === selected ? 0 : -1}
          onClick={() => onSelect(tab)}
        >
          <Icon name={icons[tab]} />
          <span class="tab-name">{nameOf(tab)}</span>
        </button>
      ))}
    </div>
  );
}

/** Leaves a text that is dragged to the prompt to the browser. VS Code, whose page is behind, would drop it nowhere. */
function leaveText(event: DragEvent): void {
  const { target, dataTransfer } = event;
  if (target instanceof HTMLTextAreaElement && dataTransfer && !mayHoldFiles(dataTransfer)) event.stopPropagation();
}

/** The panel of a tab. Tabs with attachments accept dropped and pasted files. */
function DropZone({
  tab,
  children,
  onTake,
}: {
  readonly tab: TabId;
  readonly children: ComponentChildren;
  onTake(data: DataTransfer): void;
}) {
  const [isOver, setOver] = useState(false);
  const canAttach = tabs[tab].attaches.length > 0;
  return (
    <div
      id={panelId}
      class={isOver ? 'panel over' : 'panel'}
      role="tabpanel"
      aria-labelledby={tabElementId(tab)}
      onDragOver={(event) => {
        leaveText(event);
        if (!canAttach || !event.dataTransfer || !mayHoldFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        leaveText(event);
        if (!canAttach || !event.dataTransfer || !mayHoldFiles(event.dataTransfer)) return;
        event.preventDefault();
        onTake(event.dataTransfer);
      }}
      onPaste={(event) => {
        if (!canAttach || !event.clipboardData || event.clipboardData.files.length === 0) return;
        if (event.target instanceof HTMLTextAreaElement && isText(event.clipboardData)) return;
        event.preventDefault();
        onTake(event.clipboardData);
      }}
    >
      {children}
    </div>
  );
}
