import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept, post, request } from '../host.ts';
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
    keep({ draft: next });
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

interface Position {
  readonly prompts: readonly string[];
  /** Index of the shown prompt; -1 before the newest one. */
  readonly index: number;
}

/**
 * Recalls the earlier prompts of a tab with the Up and Down keys.
 *
 * @returns the key handler; it returns whether it handled the key
 */
export function useHistory(tab: TabId, prompt: string, onPrompt: (prompt: string) => void) {
  const position = useRef<Position>(undefined);
  const latest = useRef(prompt);
  latest.current = prompt;
  useEffect(() => {
    position.current = undefined;
  }, [tab]);
  return ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean => {
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || ctrlKey || metaKey || altKey || shiftKey) return false;
    const { current } = position;
    const isRecalled = current !== undefined && (current.prompts[current.index] ?? '') === prompt;
    if (!isRecalled && (prompt !== '' || key === 'ArrowDown')) return false;
    const step = key === 'ArrowUp' ? 1 : -1;
    void (isRecalled ? Promise.resolve(current) : load(tab)).then(({ prompts, index }) => {
      // Text that was typed while the prompts were loaded stays.
      if (latest.current !== prompt) return;
      const next = Math.max(-1, Math.min(prompts.length - 1, index + step));
      position.current = { prompts, index: next };
      onPrompt(prompts[next] ?? '');
    });
    return true;
  };
}

async function load(tab: TabId): Promise<Position> {
  const prompts = await request('history', { tab }).catch(() => []);
  return { prompts, index: -1 };
}
