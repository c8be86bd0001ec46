import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConnectService } from '../connect/ConnectService.tsx';
import { focusAddress } from '../connect/ServiceForm.tsx';
import { request, tell } from '../host.ts';
import type { AttachSource, Draft, ReplyOf, Setup } from '../protocol/messages.ts';
import { tabs } from '../protocol/tabs.ts';
import { AttachButton, Attachments } from './Attachments.tsx';
import type { Problem } from './composition.ts';
import { compose, problemsOf, submissionOf, submitName } from './composition.ts';
import { Message } from './Message.tsx';
import { Notices } from './Notices.tsx';
import { controlId, Options } from './Options.tsx';
import { Prompt } from './Prompt.tsx';
import { panelId, Tabs, tabElementId } from './Tabs.tsx';
import { mayHoldFiles, takeTransfer } from './takeTransfer.ts';
import type { EditDraft } from './useDraft.ts';
import { withAttachments, withPrompt } from './useDraft.ts';

interface ComposerProps {
  readonly draft: Draft;
  readonly setup: Setup | undefined;
  readonly edit: EditDraft;
}

/** What kept the last request from being sent, or a file from being attached. */
type Failure = Pick<ReplyOf<'submit'>, 'message' | 'actions' | 'field'>;

/** Says what is to be made, and sends it. */
export function Composer({ draft, setup, edit }: ComposerProps) {
  const composition = compose(draft, setup);
  const { tab, operation, attachments } = composition;
  const [isSending, setSending] = useState(false);
  const sending = useRef(false);
  const [problem, setProblem] = useState<Problem>();
  const [failure, setFailure] = useState<Failure>();
  const [isOver, setOver] = useState(false);
  const clear = (): void => {
    setProblem(undefined);
    setFailure(undefined);
  };
  const change = (next: (draft: Draft) => Partial<Draft>): void => {
    clear();
    edit(next);
  };
  const attach = async (source: AttachSource): Promise<void> => {
    clear();
    try {
      const added = await request('attach', { tab, source });
      if (added.length > 0) edit((now) => withAttachments(now, tab, added));
    } catch (error) {
      setFailure({ message: messageOf(error) });
    }
  };
  const take = (data: DataTransfer): void => {
    takeTransfer(data).then(
      (sources) => sources.forEach((source) => void attach(source)),
      (error: unknown) => setFailure({ message: messageOf(error) }),
    );
  };
  const submit = async (): Promise<void> => {
    // Another one would be paid for as well.
    if (sending.current) return;
    clear();
    const [first] = problemsOf(composition);
    // Nobody knows a model of a service that is yet to be connected.
    if (setup?.unconnected && (!first || first.field === 'model')) {
      focusAddress();
      return;
    }
    if (first) {
      setProblem(first);
      document.getElementById(controlId(first.field))?.focus();
      return;
    }
    sending.current = true;
    setSending(true);
    try {
      const { outcome, ...told } = await request('submit', submissionOf(composition));
      if (outcome === 'failed') setFailure(told);
      // What was typed meanwhile stays.
      if (outcome === 'started') edit((now) => (now.revision === draft.revision ? emptied(now) : {}));
    } catch (error) {
      setFailure({ message: messageOf(error) });
    } finally {
      sending.current = false;
      setSending(false);
    }
  };
  useSubmitKey(submit);
  const canAttach = tabs[tab].most > 0;
  return (
    <div class="composer">
      <Tabs selected={tab} onSelect={(next) => change(() => ({ tab: next }))} />
      <div
        id={panelId}
        class="panel"
        role="tabpanel"
        aria-labelledby={tabElementId(tab)}
        onDragOver={(event) => {
          if (!canAttach || !event.dataTransfer || !mayHoldFiles(event.dataTransfer)) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          if (!canAttach || !event.dataTransfer) return;
          event.preventDefault();
          take(event.dataTransfer);
        }}
        onPaste={(event) => {
          if (!canAttach || !event.clipboardData || event.clipboardData.files.length === 0) return;
          event.preventDefault();
          take(event.clipboardData);
        }}
      >
        <div class={isOver ? 'input-box over' : 'input-box'}>
          <Attachments
            attachments={attachments}
            onRemove={(index) =>
              change((now) => ({ attachments: { ...now.attachments, [tab]: attachments.toSpliced(index, 1) } }))
            }
          />
          <Prompt
            composition={composition}
            problem={problem}
            onPrompt={(prompt) => change((now) => withPrompt(now, tab, prompt))}
          />
          {tab === 'transcript' && attachments.length === 0 && (
            <button
              type="button"
              class="drop-hint"
              id={controlId('file')}
              onClick={() => void attach({ from: 'file' })}
            >
              {l10n.t('Attach a recording, or drop one here')}
            </button>
          )}
          <div class="toolbar">
            {canAttach && <AttachButton tab={tab} onAttach={(from) => void attach({ from })} />}
            <Options
              key={tab}
              composition={composition}
              models={setup?.models[operation] ?? []}
              problem={problem}
              onModel={(model) => change((now) => ({ models: { ...now.models, [operation]: model } }))}
              onModels={() => {
                if (setup?.unloaded.includes(operation)) tell('loadModels', { operation });
              }}
              onOption={(name, text) =>
                change((now) => ({ options: { ...now.options, [tab]: { ...now.options[tab], [name]: text } } }))
              }
            />
            {tab === 'transcript' && (
              <label class="switch">
                <input
                  type="checkbox"
                  role="switch"
                  checked={draft.translates}
                  aria-checked={draft.translates}
                  onChange={(event) => {
                    const translates = event.currentTarget.checked;
                    change(() => ({ translates }));
                  }}
                />
                <span>{l10n.t('Translate to English')}</span>
              </label>
            )}
          </div>
        </div>
        <button
          type="button"
          class="primary"
          aria-disabled={isSending}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => void submit()}
        >
          {submitName(composition)}
        </button>
        <Message problem={problem} failure={failure} onDone={clear} />
        <ConnectService unconnected={setup?.unconnected} />
        <Notices notices={setup?.notices ?? []} operation={operation} />
      </div>
    </div>
  );
}

/** Ctrl+Enter or Cmd+Enter sends from anywhere in the view. */
function useSubmitKey(submit: () => Promise<void>): void {
  // At once after each change, so that the last key that was typed counts.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void submit();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

/** After a request was sent: what would only make the same again is taken out; Up brings the prompt back. */
function emptied({ tab, prompts, attachments }: Draft): Partial<Draft> {
  return { prompts: { ...prompts, [tab]: '' }, attachments: { ...attachments, [tab]: [] } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
