import { useState } from 'preact/hooks';
import type { Item } from '../protocol/messages.ts';

export const maxCompared = 4;

/** The results that were chosen to be compared, in the order of the choice. */
export function useChosen() {
  const [chosen, setChosen] = useState<readonly Item[]>([]);
  const toggle = (item: Item): void =>
    setChosen((now) => {
      const others = now.filter(({ id }) => id !== item.id);
      if (others.length < now.length || item.source === undefined) return others;
      return [...now, item].slice(-maxCompared);
    });
  return { chosen, toggle, clear: () => setChosen([]) };
}
