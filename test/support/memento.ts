import type { Memento } from 'vscode';

/** Storage as VS Code's. */
export function memento(): Memento & { setKeysForSync(): void } {
  const stored = new Map<string, unknown>();
  return {
    keys: () => [...stored.keys()],
    get: <T>(key: string, standard?: T) => (stored.get(key) as T | undefined) ?? standard,
    update: async (key: string, value: unknown) => void stored.set(key, value),
    setKeysForSync: () => undefined,
  };
}
