import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept, post } from '../host.ts';
import type { Attachment, Draft, Start } from '../protocol/messages.ts';
import type { TabId } from '../protocol/tabs.ts';
import { tabs } from '../protocol/tabs.ts';

/** In milliseconds: nobody reloads sooner after a key. */
const keepAfter = 150;

export type EditDraft = (change: (draft: Draft) => Partial<Draft>) => void;

/** What the composer holds. The view keeps each change at once, its host shortly after. */
export function useDraft(start: Start): readonly [Draft, EditDraft] {
  const [draft, setDraft] = useState(() => newerOf(start.draft, kept()?.draft));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(draft);
  const edit = useCallback((change: (draft: Draft) => Partial<Draft>): void => {
    const next = { ...latest.current, ...change(latest.current), revision: latest.current.revision + 1 };
    latest.current = next;
    setDraft(next);
    keep({}, next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => post('keepDraft', { draft: next }), keepAfter);
  }, []);
  useEffect(() => {
    const flush = () => post('keepDraft', { draft: latest.current });
    window.addEventListener('pagehide', flush);
    return () => window.removeEventListener('pagehide', flush);
  }, []);
  return [draft, edit];
}

function newerOf(one: Draft, other: Draft | undefined): Draft {
  return other && other.revision > one.revision ? other : one;
}

/** The draft with more attachments; where a tab takes one alone, the last one. */
export function withAttachments(draft: Draft, tab: TabId, added: readonly Attachment[]): Partial<Draft> {
  const { most } = tabs[tab];
  const before = draft.attachments[tab] ?? [];
  const isNew = ({ uri, videoId }: Attachment) =>
    !before.some((one) => one.uri === uri && (one.videoId ?? videoId) === videoId);
  const all = most === 1 ? [...before, ...added].slice(-1) : [...before, ...added.filter(isNew)].slice(0, most);
  return { attachments: { ...draft.attachments, [tab]: all } };
}

export function withPrompt(draft: Draft, tab: TabId, prompt: string): Partial<Draft> {
  return { prompts: { ...draft.prompts, [tab]: prompt } };
}
