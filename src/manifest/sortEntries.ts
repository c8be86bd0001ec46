import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Entry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';

/**
 * Sorts entries so that each comes after its inputs, and otherwise keeps their order.
 *
 * @param entries by the {@link keyOf} of their paths
 * @throws MediaError `invalidInput` for a cycle
 */
export function sortEntries(entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  const order: Entry[] = [];
  const state = new Map<Entry, 'open' | 'done'>();
  const visit = (entry: Entry, trail: readonly string[]): void => {
    if (state.get(entry) === 'done') return;
    const path = [...trail, entry.path];
    if (state.get(entry) === 'open') {
      throw new MediaError('invalidInput', l10n.t('Assets depend on each other in a cycle: {0}.', path.join(' ← ')));
    }
    state.set(entry, 'open');
    for (const input of inputsOf(entry)) {
      const source = entries.get(keyOf(input));
      if (source) visit(source, path);
    }
    state.set(entry, 'done');
    order.push(entry);
  };
  for (const entry of entries.values()) visit(entry, []);
  return order;
}
