import * as l10n from '@vscode/l10n';
import { ConnectService } from '../connect/ConnectService.tsx';
import type { Draft, Setup } from '../protocol/messages.ts';
import { Attachments } from './Attachments.tsx';
import { compose, submitName } from './composition.ts';
import { DropZone } from './DropZone.tsx';
import { Message } from './Message.tsx';
import { Notices } from './Notices.tsx';
import { controlId } from './Options.tsx';
import { Prompt } from './Prompt.tsx';
import { Tabs } from './Tabs.tsx';
import { Toolbar } from './Toolbar.tsx';
import { useComposer, useSubmitKey } from './useComposer.ts';
import type { EditDraft } from './useDraft.ts';
import { withPrompt } from './useDraft.ts';

interface ComposerProps {
  readonly draft: Draft;
  readonly setup: Setup | undefined;
  readonly edit: EditDraft;
}

/** The form for a request: tabs, prompt, attachments, options and the button that submits it. */
export function Composer({ draft, setup, edit }: ComposerProps) {
  const composition = compose(draft, setup);
  const { tab, operation, attachments } = composition;
  const { isSending, problem, failure, clear, change, attach, take, submit } = useComposer(
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
          <Attachments attachments={attachments} onRemove={remove} />
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
          class="primary"
          aria-disabled={isSending}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={submit}
        >
          {submitName(composition)}
        </button>
        <Message problem={problem} failure={failure} onDismiss={clear} />
        <ConnectService unconnected={setup?.unconnected} />
        <Notices notices={setup?.notices ?? []} operation={operation} />
      </DropZone>
    </div>
  );
}
