import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept, post } from '../host.ts';
import type { Draft, Start } from '../protocol/messages.ts';
import type { TabId } from '../protocol/tabs.ts';

/** How long after the last change the draft is posted to the host, in milliseconds. */
const postDelay = 150;

export type EditDraft = (change: (draft: Draft) => Partial<Draft>) => void;

/** Returns the draft and a function that edits it. The view saves each change at once, the host shortly after. */
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
    timer.current = setTimeout(() => post('keepDraft', { draft: next }), postDelay);
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

export function withPrompt(draft: Draft, tab: TabId, prompt: string): Partial<Draft> {
  return { prompts: { ...draft.prompts, [tab]: prompt } };
}
