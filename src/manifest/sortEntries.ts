import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Entry } from './Manifest.ts';
import { inputsOf, keyOf } from './Manifest.ts';

/**
 * Entries by {@link keyOf} their paths, each after those it is made of; else in their own order.
 *
 * @throws MediaError `invalidInput` for a circle
 */
export function sortEntries(entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  const order: Entry[] = [];
  const state = new Map<Entry, 'open' | 'done'>();
  const visit = (entry: Entry, trail: readonly string[]): void => {
    if (state.get(entry) === 'done') return;
    const path = [...trail, entry.path];
    if (state.get(entry) === 'open') {
      throw new MediaError('invalidInput', l10n.t('Assets are made of each other in a circle: {0}.', path.join(' ← ')));
    }
    state.set(entry, 'open');
    for (const input of inputsOf(entry)) {
      const made = entries.get(keyOf(input));
      if (made) visit(made, path);
    }
    state.set(entry, 'done');
    order.push(entry);
  };
  for (const entry of entries.values()) visit(entry, []);
  return order;
}
