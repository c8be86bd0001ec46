import { useEffect, useRef } from 'preact/hooks';
import { request } from '../host.ts';
import type { TabId } from '../protocol/tabs.ts';

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
