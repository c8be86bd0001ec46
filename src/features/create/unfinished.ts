import type { Memory } from '../../editor/Memory.ts';

// What this computer still has to do with the results of requests: they may come in a later window. Beside the draft.

const maxKept = 100;

export function hasUnfinished(memory: Memory): boolean {
  return Object.keys(memory.get('unfinished') ?? {}).length > 0;
}

/**
 * @param key names a request by what is sent
 * @param rest what is to be done with its results; undefined for nothing
 */
export function keepUnfinished(memory: Memory, key: string, rest: object | undefined): void {
  const { [key]: before, ...others } = memory.get('unfinished') ?? {};
  if (!rest && !before) return;
  const kept = Object.fromEntries(Object.entries(others).slice(-maxKept));
  memory.set('unfinished', rest ? { ...kept, [key]: rest } : kept).catch(() => undefined);
}

/** Returns what was kept for a request, and forgets it. */
export function takeUnfinished(memory: Memory, key: string): unknown {
  const rest = memory.get('unfinished')?.[key];
  keepUnfinished(memory, key, undefined);
  return rest;
}
