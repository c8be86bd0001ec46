import type { Memento } from 'vscode';

// What this computer still has to do with the results of requests: they may come in a later window. Beside the draft.

type Kept = Readonly<Record<string, unknown>>;

const name = 'composer.unfinished.view';
const maxKept = 100;

export function hasUnfinished(memory: Memento): boolean {
  return Object.keys(memory.get<Kept>(name, {})).length > 0;
}

/**
 * @param key names a request by what is sent
 * @param rest what is to be done with its results; undefined for nothing
 */
export function keepUnfinished(memory: Memento, key: string, rest: object | undefined): void {
  const { [key]: before, ...others } = memory.get<Kept>(name, {});
  if (!rest && !before) return;
  const kept = Object.fromEntries(Object.entries(others).slice(-maxKept));
  memory.update(name, rest ? { ...kept, [key]: rest } : kept).then(undefined, () => undefined);
}

/** Returns what was kept for a request, and forgets it. */
export function takeUnfinished(memory: Memento, key: string): unknown {
  const rest = memory.get<Kept>(name, {})[key];
  keepUnfinished(memory, key, undefined);
  return rest;
}
