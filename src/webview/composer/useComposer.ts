import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusAddress } from '../connect/ServiceForm.tsx';
import { request } from '../host.ts';
import type { AttachSource, Draft, ReplyOf, Setup } from '../protocol/messages.ts';
import type { Composition, Problem } from './composition.ts';
import { problemsOf, submissionOf, withAttachments } from './composition.ts';
import { controlId } from './Options.tsx';
import { takeTransfer } from './takeTransfer.ts';
import type { EditDraft } from './useDraft.ts';

/** Why the last request was not sent, or a file not attached. */
export type Failure = Pick<ReplyOf<'submit'>, 'message' | 'actions' | 'field'>;

/** Returns the actions of the composer, and what went wrong with the last one. */
export function useComposer(composition: Composition, setup: Setup | undefined, draft: Draft, edit: EditDraft) {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [failure, setFailure] = useState<Failure>();
  const sending = useRef(false);
  const clear = (): void => {
    setProblem(undefined);
    setFailure(undefined);
  };
  const fail = (error: unknown) => setFailure({ message: error instanceof Error ? error.message : String(error) });
  const attach = async (source: AttachSource): Promise<void> => {
    clear();
    const { tab } = composition;
    const added = await request('attach', { tab, switched: draft.switched, source });
    if (added.length > 0) edit((now) => withAttachments(now, tab, added));
  };
  const submit = async (): Promise<void> => {
    const [first] = problemsOf(composition);
    // Nobody can choose a model before a service is connected: lead to the address first.
    if (setup?.unconnected && (!first || first.field === 'model')) {
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
    // Keep text that was typed in the meantime.
    if (outcome === 'started') edit((now) => (now.revision === draft.revision ? emptied(now) : {}));
  };
  return {
    isSending,
    problem,
    failure,
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

/** Submits on Ctrl+Enter or Cmd+Enter from anywhere in the view. */
export function useSubmitKey(submit: () => void): void {
  // A layout effect without dependencies, so that the handler always submits the latest input.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      submit();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

/** Clears the prompt and attachments of a submitted request. The Up key brings the prompt back. */
function emptied({ tab, prompts, attachments }: Draft): Partial<Draft> {
  return { prompts: { ...prompts, [tab]: '' }, attachments: { ...attachments, [tab]: [] } };
}
