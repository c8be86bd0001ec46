import { useCallback } from 'preact/hooks';
import { withAttachments } from './composer/composition.ts';
import type { EditDraft } from './composer/useDraft.ts';
import { withPrompt } from './composer/useDraft.ts';
import type { OnItem } from './feed/Tile.tsx';
import { post, request } from './host.ts';
import type { Item, JobCard } from './protocol/messages.ts';
import { itemActions } from './protocol/messages.ts';
import type { AttachmentKind, TabId } from './protocol/tabs.ts';
import { tabOf } from './protocol/tabs.ts';

/** The tab and the kind of attachment for each action that puts a result into the composer. */
const targets = {
  edit: { tab: 'image', as: 'image' },
  animate: { tab: 'video', as: 'image' },
  remix: { tab: 'video', as: 'video' },
  transcribe: { tab: 'transcript', as: 'recording' },
} as const satisfies Readonly<Record<string, { readonly tab: TabId; readonly as: AttachmentKind }>>;

/** Returns the handlers for actions on results and failed jobs. Those that fill the composer then scroll to it. */
export function useItemActions(edit: EditDraft, toComposer: () => void) {
  const onItem: OnItem = useCallback((item, action) => {
    if (action === 'play' || action === 'compare') return;
    if (action === 'usePrompt') {
      void usePrompt(item, edit).then(toComposer, () => undefined);
    } else if (action === 'edit' || action === 'animate' || action === 'remix' || action === 'transcribe') {
      const { tab, as } = targets[action];
      request('attachItem', { id: item.id, as }).then(
        (added) => {
          edit((draft) => ({ ...withAttachments(draft, tab, added), tab }));
          toComposer();
        },
        () => undefined,
      );
    } else if (itemActions.includes(action)) post('actOnItem', { id: item.id, action });
  }, []);
  const onUsePrompt = useCallback((job: JobCard) => {
    request('jobPrompt', { id: job.id }).then(
      (prompt) => {
        const tab = tabOf(job.operation);
        edit((draft) => ({ ...withPrompt(draft, tab, prompt), tab }));
        toComposer();
      },
      () => undefined,
    );
  }, []);
  return { onItem, onUsePrompt };
}

/** Fills the composer with the prompt and model of a result, so that the user can change and run them. */
async function usePrompt({ id, operation, model }: Item, edit: EditDraft): Promise<void> {
  const { prompt = '' } = await request('details', { id });
  const tab = tabOf(operation);
  edit((draft) => ({ ...withPrompt(draft, tab, prompt), tab, models: { ...draft.models, [operation]: model } }));
}
