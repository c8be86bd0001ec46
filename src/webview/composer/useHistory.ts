import { useEffect, useRef } from 'preact/hooks';
import { request } from '../host.ts';
import type { TabId } from '../protocol/tabs.ts';

interface Walk {
  readonly prompts: readonly string[];
  /** Where in the prompts it is; -1 before the newest one. */
  readonly index: number;
}

/**
 * Goes through the earlier prompts of a tab.
 *
 * @returns the keys' handler; it says whether the key was taken
 */
export function useHistory(tab: TabId, prompt: string, onPrompt: (prompt: string) => void) {
  const walk = useRef<Walk>(undefined);
  useEffect(() => {
    walk.current = undefined;
  }, [tab]);
  return ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean => {
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || ctrlKey || metaKey || altKey || shiftKey) return false;
    const { current } = walk;
    const isWalking = current !== undefined && (current.prompts[current.index] ?? '') === prompt;
    if (!isWalking && prompt !== '') return false;
    if (!isWalking && key === 'ArrowDown') return false;
    const step = key === 'ArrowUp' ? 1 : -1;
    void (isWalking ? Promise.resolve(current) : begin(tab)).then(({ prompts, index }) => {
      const next = Math.max(-1, Math.min(prompts.length - 1, index + step));
      walk.current = { prompts, index: next };
      onPrompt(prompts[next] ?? '');
    });
    return true;
  };
}

async function begin(tab: TabId): Promise<Walk> {
  const prompts = await request('history', { tab }).catch(() => []);
  return { prompts, index: -1 };
}
